import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ServiceProcess, startService } from '../../stack/start-service.ts'

/** A service that is started again whenever it ends or is no longer live, as an orchestrator does. */
export type SupervisedService = AsyncDisposable & {
  /** Where it listens now. */
  url(): string
  restarts(): number
}

export type SuperviseOptions = {
  environment: Record<string, string>
  /** Where its log goes, into a file of its name. */
  logDirectory: string
  logName?: string
  tell(line: string): void
}

const restartAfterMs = 500
const probeEveryMs = 5_000
const probeDeadlineMs = 5_000
const failedProbesMax = 3

/** Starts `services/<name>`. Throws when it does not start the first time. */
export async function supervise(
  name: string,
  { environment, logDirectory, logName = name, tell }: SuperviseOptions,
): Promise<SupervisedService> {
  const log = createWriteStream(join(logDirectory, `${logName}.log`), { mode: 0o600 })
  const closing = new AbortController()
  const { signal } = closing
  let restarts = 0

  async function start(): Promise<ServiceProcess> {
    const service = await startService(name, environment)
    for (const stream of [service.process.stdout, service.process.stderr]) {
      stream?.pipe(log, { end: false })
    }
    return service
  }

  let running = await start()
  const watching = (async () => {
    while (!signal.aborted) {
      const reason = await untilUnfit(running, signal)
      if (signal.aborted) return
      restarts += 1
      tell(`${logName} ${reason}: starting it again`)
      await running.kill('SIGKILL')
      await startAgain()
    }
  })()

  async function startAgain(): Promise<void> {
    while (!signal.aborted) {
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
    url: () => running.url,
    restarts: () => restarts,
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await running.kill('SIGKILL')
      await watching
      await running.kill('SIGKILL')
      log.end()
    },
  }
}

/** Waits until the process ends or fails several liveness probes in a row, and says which. */
async function untilUnfit(service: ServiceProcess, signal: AbortSignal): Promise<string> {
  let failed = 0
  for (let probed = performance.now(); !signal.aborted; await pause(100)) {
    const { exitCode, signalCode } = service.process
    if (exitCode !== null || signalCode !== null) return `ended (${signalCode ?? exitCode})`
    if (performance.now() - probed < probeEveryMs) continue
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
