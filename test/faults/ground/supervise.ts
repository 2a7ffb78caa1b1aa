import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ServiceProcess, startService } from '../../stack/start-service.ts'

/** A service that is restarted whenever it ends or fails its liveness probes, as an orchestrator does. */
export type SupervisedService = AsyncDisposable & {
  name: string
  /** Its current address. */
  url(): string
  restarts(): number
  pid(): number
  /** Kills the running process, which is then restarted. Settles when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Freezes the process until `thaw`. Meanwhile it is neither probed nor restarted. */
  freeze(): void
  thaw(): void
  /** Settles when it listens again after it was killed or ended. Settles immediately if it is running. */
  untilBack(): Promise<void>
}

export type SuperviseOptions = {
  /** The environment of the service. `start` is the number of the start, from 1. */
  environment: (start: number) => Record<string, string>
  /** The source tree to start from, by the number of the start. Default: this tree. */
  tree?: (start: number) => string | undefined
  /** The directory of its log file, which has its name. */
  logDirectory: string
  logName?: string
  /** Called with its address after every start. */
  onStart?: (url: string) => void
  tell(line: string): void
}

const probeEveryMs = 5_000
const probeDeadlineMs = 5_000
const failedProbesMax = 3
const restartAfterMs = 500

/** Starts `services/<name>` and supervises it. Throws if the first start fails. */
export async function supervise(
  service: string,
  options: SuperviseOptions,
): Promise<SupervisedService> {
  const { environment, tree, logDirectory, logName = service, onStart, tell } = options
  const log = createWriteStream(join(logDirectory, `${logName}.log`), { mode: 0o600 })
  const closing = new AbortController()
  let starts = 0
  let restarts = 0
  let isFrozen = false
  const presence = aGate()

  async function start(): Promise<ServiceProcess> {
    starts += 1
    const from = tree?.(starts)
    const started = await startService(service, environment(starts), from ? { tree: from } : {})
    for (const output of ['stdout', 'stderr'] as const) {
      started.process[output]?.pipe(log, { end: false })
    }
    onStart?.(started.url)
    presence.open()
    return started
  }

  let running = await start()
  const watching = (async () => {
    while (!closing.signal.aborted) {
      const reason = await untilUnfit(running, { signal: closing.signal, isFrozen: () => isFrozen })
      if (closing.signal.aborted) return
      restarts += 1
      presence.shut()
      tell(`${logName} ${reason}: starting it again`)
      await running.kill('SIGKILL')
      running = (await startAgain(start, closing.signal)) ?? running
    }
  })()

  return {
    name: logName,
    url: () => running.url,
    restarts: () => restarts,
    pid: () => running.process.pid!,
    kill: async (by = 'SIGKILL') => {
      presence.shut()
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
    untilBack: presence.opened,
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await running.kill('SIGKILL')
      await watching
      await running.kill('SIGKILL')
      log.end()
    },
  }
}

/** Starts a service as soon as it can be started. Returns undefined once it is no longer wanted. */
async function startAgain(
  start: () => Promise<ServiceProcess>,
  signal: AbortSignal,
): Promise<ServiceProcess | undefined> {
  while (!signal.aborted) {
    await pause(restartAfterMs)
    // a dependency may be away, and the next start may succeed
    const started = await start().catch(() => undefined)
    if (started) return started
  }
  return undefined
}

/** A gate that is shut at first. `opened` settles when it is open. */
function aGate() {
  let isOpen = false
  let next = Promise.withResolvers<void>()
  return {
    opened: () => next.promise,
    open: () => {
      isOpen = true
      next.resolve()
    },
    shut: () => {
      if (!isOpen) return
      isOpen = false
      next = Promise.withResolvers()
    },
  }
}

/** Waits until the process ends or fails several liveness probes in a row. Returns which of the two. */
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
