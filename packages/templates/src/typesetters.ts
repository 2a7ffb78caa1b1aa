import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { createSemaphore, type SemaphoreOptions } from '@despatch/composer/semaphore'
import type { Typeset, TypesetRequest } from './typeset.ts'
import type { TypesettingTask } from './typesetting-process.ts'
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

const takingMax: Taking = { processorMs: 10_000, memoryBytes: 512 * 1024 * 1024 }
/** Elapsed time may be this many times the limit of processor time: other processes may occupy the processor. */
const patience = 12
/** A process without work ends after this time, in milliseconds. */
const idleMs = 30_000
const limitPipe = 3

/** Nothing of the service's environment, and no way to the network: nobody serves this proxy. */
const environment = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [name, 'http://127.0.0.1:9']),
)

/** Starts to typeset letters in processes that start on demand. They are shared out fairly among consumers. */
export function startTypesetters({
  processesMax,
  taking = takingMax,
  onWaited,
}: {
  processesMax: number
  taking?: Taking
} & Pick<SemaphoreOptions, 'onWaited'>): Typesetters {
  const semaphore = createSemaphore({ permits: processesMax, ...(onWaited && { onWaited }) })
  const all = new Set<TypesettingProcess>()
  const idle = new Set<TypesettingProcess>()

  function start(): TypesettingProcess {
    const started = startProcess()
    all.add(started)
    started.child.once('close', () => {
      all.delete(started)
      idle.delete(started)
    })
    return started
  }

  function takeIdle(): TypesettingProcess | undefined {
    const [first] = idle
    if (first) idle.delete(first)
    return first
  }

  async function typesetIn(
    typesetter: TypesettingProcess,
    request: TypesetRequest,
    signal: AbortSignal,
  ): Promise<Typeset> {
    try {
      const result = await typesetter.typeset({ request, taking }, signal)
      idle.add(typesetter)
      return result
    } catch (error) {
      typesetter.end()
      throw error
    }
  }

  return {
    typeset: (request, { consumerId = '', signal } = {}) =>
      semaphore.use({ consumerId, work: 'typeset', signal }, async (ownSignal) => {
        try {
          return await typesetIn(takeIdle() ?? start(), request, ownSignal)
        } catch (error) {
          if (!(error instanceof TypesettingLimitExceeded)) throw error
          return typesetIn(start(), request, ownSignal)
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
  let limit = ''
  const said = child.stdio[limitPipe] as Readable
  said.on('data', (part) => {
    limit += part
  })
  const end = () => void child.kill('SIGKILL')
  const idleTimer = setTimeout(end, idleMs)
  const keep = (isKept: boolean) => {
    const change = isKept ? 'ref' : 'unref'
    child[change]()
    child.channel?.[change]()
    ;(said as Socket)[change]()
  }
  keep(false)
  idleTimer.unref()

  return {
    child,
    end,
    async typeset(task: TypesettingTask, signal: AbortSignal): Promise<Typeset> {
      const over = new AbortController()
      const deadline = AbortSignal.timeout(patience * task.taking.processorMs)
      const stop = { signal: AbortSignal.any([over.signal, signal, deadline]) }
      const answered = once(child, 'message', stop).then(([answer]) => answer as Typeset)
      const ended = once(child, 'close', stop).then(() => {
        throw isLimit(limit)
          ? new TypesettingLimitExceeded(limit)
          : new Error('A process that typesets letters has ended')
      })
      keep(true)
      clearTimeout(idleTimer)
      // if the process has ended, its end is the answer
      child.send(task, () => {})
      try {
        return await Promise.race([answered, ended])
      } finally {
        over.abort()
        await Promise.allSettled([answered, ended])
        keep(false)
        idleTimer.refresh()
      }
    },
  }
}

function isLimit(text: string): text is ExceededLimit {
  return text === 'time' || text === 'memory'
}
