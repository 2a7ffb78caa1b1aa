import { setTimeout as pause } from 'node:timers/promises'
import { decideRestart } from './restart-policy.ts'

type Server = {
  /** Resolves with the reason when the server ends without `stop`. */
  ended: Promise<string>
  stop(): Promise<void>
}

type Keeping = {
  /** The server's name in messages. */
  name: string
  first: Server
  /** Starts it again in the same place. Throws if it does not start. */
  again(): Promise<Server>
  isDiskFull(reason: string): Promise<boolean>
  log(line: string): void
  decide?: typeof decideRestart
}

export type KeptServer = {
  /** Resolves when the server has ended without `stop` and could not be restarted. */
  failed: Promise<Error>
  stop(): Promise<void>
}

/** Restarts a server that ends unexpectedly, as often as `decideRestart` allows. */
export function keepRunning(keeping: Keeping): KeptServer {
  const { name, first, again, isDiskFull, log, decide = decideRestart } = keeping
  const stopping = new AbortController()
  const { promise: stopped, resolve: resolveStopped } = Promise.withResolvers<undefined>()
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>()
  let server = first
  let failures = 0
  const kept = keep()

  async function keep(): Promise<void> {
    for (;;) {
      const startedAt = performance.now()
      const reason = await Promise.race([server.ended, stopped])
      if (reason === undefined) return
      log(`${name} exited unexpectedly: ${reason}`)
      const outcome = await restart(reason, performance.now() - startedAt)
      if (outcome.kind === 'given-up') {
        const message = `${name} exited unexpectedly and could not be restarted: ${outcome.reason}`
        return fail(new Error(message))
      }
      if (outcome.kind === 'running') log(`${name} is running again`)
    }
  }

  async function restart(ended: string, ran: number) {
    for (let reason = ended, ranMs = ran; ; ranMs = 0) {
      const shortOfRoom = await isDiskFull(reason)
      const next = decide(failures, { ranMs, shortOfRoom })
      if (next.kind === 'give-up') return { kind: 'given-up', reason } as const
      failures = next.failures
      await pause(next.afterMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return { kind: 'stopped' } as const
      try {
        server = await again()
        return { kind: 'running' } as const
      } catch (error) {
        const { message } = error as Error
        // While the disk is full, a restart is tried every few seconds. Log the same message only once.
        if (message !== reason) log(message)
        reason = message
      }
    }
  }

  return {
    failed,
    async stop() {
      stopping.abort()
      resolveStopped(undefined)
      await kept
      await server.stop()
    },
  }
}
