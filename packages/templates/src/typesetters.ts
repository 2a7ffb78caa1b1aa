import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { createSemaphore, type SemaphoreOptions } from '@despatch/composer/semaphore'
import type { Typeset, TypesetRequest } from './typeset.ts'
import type { TypesettingAnswer, TypesettingTask } from './typesetting-process.ts'
import type { ExceededLimit, Taking } from './watch-typesetting.ts'

export type Typesetters = {
  /**
   * Typesets a letter. Rejects with TypesettingLimitExceeded if it exceeds a limit in two processes, the second of which
   * has typeset nothing else, and with another error if the letter is not the cause.
   */
  typeset(
    request: TypesetRequest,
    use?: { consumerId?: string; signal?: AbortSignal | undefined },
  ): Promise<Typeset>
  close(): void
}

/** The letter takes more time or memory than allowed, and would again. */
export class TypesettingLimitExceeded extends Error {
  override readonly name = 'TypesettingLimitExceeded'
  readonly limit: ExceededLimit

  constructor(limit: ExceededLimit) {
    super(`Typesetting exceeded the limit of ${limit}`)
    this.limit = limit
  }
}

/** The process that typeset a letter was killed or hung. The letter is not the cause. */
class TypesettingProcessLost extends Error {
  override readonly name = 'TypesettingProcessLost'

  constructor() {
    super('A process that typesets letters has ended')
  }
}

const limits: readonly ExceededLimit[] = ['time', 'memory']
const takingMax: Taking = { processorMs: 10_000, memoryBytes: 512 * 1024 * 1024 }
/**
 * Elapsed time may be this many times the limit of processor time: other processes may occupy the processors. A process
 * that is stopped is noticed earlier.
 */
const patience = 60
/** A process at work that gives no sign of life for so many seconds is killed: it is stopped, or cannot continue. */
const silentSecondsMax = 20
const idleMsDefault = 30_000
const watchPipe = 3

/** Nothing of the service's environment, and no way to the network: nobody serves this proxy. */
const environment = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [name, 'http://127.0.0.1:9']),
)

/** Starts to typeset letters in processes that start on demand. They are shared out fairly among consumers. */
export function startTypesetters({
  processesMax,
  taking = takingMax,
  idleMs = idleMsDefault,
  onWaited,
  onUsed,
}: {
  processesMax: number
  taking?: Taking
  /** A process without work ends after this time, in milliseconds. */
  idleMs?: number
  /** Called with the processor time that a letter took, in milliseconds, also if it exceeded a limit. */
  onUsed?: (consumerId: string, processorMs: number) => void
} & Pick<SemaphoreOptions, 'onWaited'>): Typesetters {
  const semaphore = createSemaphore({ permits: processesMax, ...(onWaited && { onWaited }) })
  const all = new Set<TypesettingProcess>()
  const idle = new Map<TypesettingProcess, NodeJS.Timeout>()

  function start(): TypesettingProcess {
    const started = startProcess()
    all.add(started)
    started.child.once('close', () => {
      all.delete(started)
      endRest(started)
    })
    return started
  }

  function rest(typesetter: TypesettingProcess): void {
    const end = () => {
      idle.delete(typesetter)
      typesetter.end()
    }
    idle.set(typesetter, setTimeout(end, idleMs).unref())
  }

  function endRest(typesetter: TypesettingProcess): void {
    clearTimeout(idle.get(typesetter))
    idle.delete(typesetter)
  }

  /** Preparing another template takes a process longer than a letter. */
  function takeIdle({ templateId }: TypesetRequest): TypesettingProcess | undefined {
    const resting = [...idle.keys()]
    const taken = resting.find(({ hasTemplate }) => hasTemplate(templateId)) ?? resting[0]
    if (taken) endRest(taken)
    return taken
  }

  async function typesetIn(
    typesetter: TypesettingProcess,
    request: TypesetRequest,
    { consumerId, signal }: { consumerId: string; signal: AbortSignal },
  ): Promise<Typeset> {
    const startedAt = performance.now()
    try {
      const { typeset, processorMs } = await typesetter.typeset({ request, taking }, signal)
      onUsed?.(consumerId, processorMs)
      rest(typesetter)
      return typeset
    } catch (error) {
      if (error instanceof TypesettingLimitExceeded) {
        onUsed?.(consumerId, Math.min(performance.now() - startedAt, taking.processorMs))
      }
      typesetter.end()
      throw error
    }
  }

  return {
    typeset: (request, { consumerId = '', signal } = {}) =>
      semaphore.use({ consumerId, work: 'typeset', signal }, async (ownSignal) => {
        const use = { consumerId, signal: ownSignal }
        try {
          return await typesetIn(takeIdle(request) ?? start(), request, use)
        } catch (error) {
          if (!(error instanceof TypesettingLimitExceeded)) throw error
          return typesetIn(start(), request, use)
        }
      }),
    close: () => {
      for (const typesetter of all) typesetter.end()
    },
  }
}

type TypesettingProcess = ReturnType<typeof startProcess>

function startProcess() {
  const child = fork(new URL('./typesetting-process.ts', import.meta.url), {
    env: environment,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'ipc'],
  })
  // a process that cannot start has no answer, which is reported where one is waited for
  child.on('error', () => {})
  let said = ''
  let silentSeconds = 0
  let preparedId: string | undefined
  const watch = child.stdio[watchPipe] as Readable
  watch.on('data', (part) => {
    silentSeconds = 0
    said += part
  })
  const end = () => void child.kill('SIGKILL')
  const keep = (isKept: boolean) => {
    const change = isKept ? 'ref' : 'unref'
    child[change]()
    child.channel?.[change]()
    ;(watch as Socket)[change]()
  }
  keep(false)

  return {
    child,
    end,
    hasTemplate: (templateId: string) => templateId === preparedId,
    async typeset(
      { request, taking }: TypesettingTask,
      signal: AbortSignal,
    ): Promise<TypesettingAnswer> {
      const over = new AbortController()
      const deadline = AbortSignal.timeout(patience * taking.processorMs)
      const stop = { signal: AbortSignal.any([over.signal, signal, deadline]) }
      const answered = once(child, 'message', stop).then(([answer]) => answer as TypesettingAnswer)
      const ended = once(child, 'close', stop).then(() => {
        const limit = limits.find((limit) => said.endsWith(limit))
        throw limit ? new TypesettingLimitExceeded(limit) : new TypesettingProcessLost()
      })
      keep(true)
      said = ''
      silentSeconds = 0
      // Counts instead of reading a clock: while this process is stopped too, it reads no signs of life.
      const listening = setInterval(() => {
        silentSeconds += 1
        if (silentSeconds > silentSecondsMax) end()
      }, 1_000)
      const { templateId } = request
      const sent = templateId === preparedId ? { ...request, files: [] } : request
      // if the process has ended, its end is the answer
      child.send({ request: sent, taking } satisfies TypesettingTask, () => {})
      try {
        const answer = await Promise.race([answered, ended])
        preparedId = templateId
        return answer
      } finally {
        over.abort()
        await Promise.allSettled([answered, ended])
        clearInterval(listening)
        keep(false)
      }
    },
  }
}
