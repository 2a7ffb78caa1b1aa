import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ServiceProcess, startService } from '../../stack/start-service.ts'

/** A service that is started again whenever it ends or is no longer live, as an orchestrator does. */
export type SupervisedService = AsyncDisposable & {
  name: string
  /** Where it listens now. */
  url(): string
  restarts(): number
  pid(): number
  /** Kills the process that runs now; it is started again. Settles when it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Stops the process as it stands, until `thaw`: it is neither probed nor started again meanwhile. */
  freeze(): void
  thaw(): void
  /** Kills it, and does not start it again before `bringBack`. */
  takeAway(): Promise<void>
  /** Has it started again. Settles when it listens. */
  bringBack(): Promise<void>
  /** Settles when it listens again after it was killed or ended; at once when it runs. */
  untilBack(): Promise<void>
}

export type SuperviseOptions = {
  /** Of the service; told how often it was started, this time included. */
  environment: (start: number) => Record<string, string>
  /** The tree that it is started from; told the same. Default: this one. */
  tree?: (start: number) => string | undefined
  /** Where its log goes, into a file of its name. */
  logDirectory: string
  logName?: string
  /** Told where it listens, whenever it has started. */
  onStart?: (url: string) => void
  /** How long after its end it is started again, in milliseconds. */
  restartAfterMs?: number
  tell(line: string): void
}

const probeEveryMs = 5_000
const probeDeadlineMs = 5_000
const failedProbesMax = 3

/** Starts `services/<name>`. Throws when it does not start the first time. */
export async function supervise(
  service: string,
  options: SuperviseOptions,
): Promise<SupervisedService> {
  const { environment, tree, logDirectory, logName = service, onStart, tell } = options
  const { restartAfterMs = 500 } = options
  const log = createWriteStream(join(logDirectory, `${logName}.log`), { mode: 0o600 })
  const closing = new AbortController()
  const { signal } = closing
  let starts = 0
  let restarts = 0
  let isFrozen = false
  let absence: PromiseWithResolvers<void> | undefined
  let isBack = false
  let back = Promise.withResolvers<void>()

  function noteGone(): void {
    if (!isBack) return
    isBack = false
    back = Promise.withResolvers()
  }

  async function start(): Promise<ServiceProcess> {
    starts += 1
    const from = tree?.(starts)
    const started = await startService(service, environment(starts), from ? { tree: from } : {})
    for (const stream of [started.process.stdout, started.process.stderr]) {
      stream?.pipe(log, { end: false })
    }
    onStart?.(started.url)
    isBack = true
    back.resolve()
    return started
  }

  let running = await start()
  const watching = (async () => {
    while (!signal.aborted) {
      const reason = await untilUnfit(running, { signal, isFrozen: () => isFrozen })
      if (signal.aborted) return
      restarts += 1
      noteGone()
      tell(`${logName} ${reason}: starting it again`)
      await running.kill('SIGKILL')
      await startAgain()
    }
  })()

  async function startAgain(): Promise<void> {
    while (!signal.aborted) {
      await absence?.promise
      await pause(restartAfterMs)
      try {
        running = await start()
        return
      } catch {
        // What it needs is away: the next start may find it.
      }
    }
  }

  return {
    name: logName,
    url: () => running.url,
    restarts: () => restarts,
    pid: () => running.process.pid!,
    kill: async (by = 'SIGKILL') => {
      noteGone()
      await running.kill(by)
    },
    freeze: () => {
      isFrozen = true
      running.process.kill('SIGSTOP')
    },
    thaw: () => {
      isFrozen = false
      running.process.kill('SIGCONT')
    },
    takeAway: async () => {
      absence = Promise.withResolvers()
      noteGone()
      await running.kill('SIGKILL')
    },
    bringBack: async () => {
      absence?.resolve()
      absence = undefined
      await back.promise
    },
    untilBack: () => back.promise,
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      absence?.resolve()
      await running.kill('SIGKILL')
      await watching
      await running.kill('SIGKILL')
      log.end()
    },
  }
}

/** Waits until the process ends or fails several liveness probes in a row, and says which. */
async function untilUnfit(
  service: ServiceProcess,
  { signal, isFrozen }: { signal: AbortSignal; isFrozen: () => boolean },
): Promise<string> {
  let failed = 0
  for (let probed = performance.now(); !signal.aborted; await pause(100)) {
    const { exitCode, signalCode } = service.process
    if (exitCode !== null || signalCode !== null) return `ended (${signalCode ?? exitCode})`
    if (isFrozen() || performance.now() - probed < probeEveryMs) continue
    failed = (await isLive(service)) ? 0 : failed + 1
    if (failed === failedProbesMax) return 'is not live'
    probed = performance.now()
  }
  return 'is no longer wanted'
}

async function isLive({ url }: ServiceProcess): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health/live`, {
      signal: AbortSignal.timeout(probeDeadlineMs),
    })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
