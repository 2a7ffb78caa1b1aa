import { setTimeout as pause } from 'node:timers/promises'

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

type KeptServer = {
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

const pausesMs = [0, 1_000, 3_000, 10_000, 30_000]
const pauseForRoomMs = 2_000
/** A server that has run this long counts as healthy, and its earlier failures no longer count. */
const healthyMs = 60_000

type Failure = { ranMs: number; shortOfRoom: boolean }
type Restart =
  | { kind: 'restart'; afterMs: number; failures: number }
  | { kind: 'give-up'; failures: number }

/**
 * Decides what to do when a server ends or does not start. It is restarted after a growing pause, and given up if it
 * fails more often than there are pauses. While the disk is full, restarts continue without limit, because only an
 * operator can make room.
 */
export function decideRestart(failuresBefore: number, { ranMs, shortOfRoom }: Failure): Restart {
  const failures = ranMs >= healthyMs ? 0 : failuresBefore
  if (shortOfRoom) return { kind: 'restart', afterMs: pauseForRoomMs, failures }
  const afterMs = pausesMs[failures]
  if (afterMs === undefined) return { kind: 'give-up', failures }
  return { kind: 'restart', afterMs, failures: failures + 1 }
}
