import { join } from 'node:path'
import { ProviderClient } from '@despatch/client/provider-client'
import { type ClientOptions, openSession } from '@despatch/client/session'
import type { Logger } from '@despatch/telemetry/logger'
import type { ProviderSimulatorConfig } from './config.ts'
import { Crashed, type CrashPoint } from './floor/crash-points.ts'
import { createDocumentOutcomes, type DocumentOutcomes } from './floor/document-outcomes.ts'
import { type Fetch, losingReplies } from './floor/losing-replies.ts'
import { createPace } from './floor/pace.ts'
import { floorSchema } from './floor/settings.ts'
import { openPrintLog } from './print-run/print-log.ts'
import type { Production, ProductionEvent } from './print-run/production.ts'
import { openRunBook, type RunInHand } from './print-run/run-book.ts'
import { createWorkLoop } from './print-run/work-loop.ts'

export type ProviderSimulator = {
  name: 'provider-simulator'
  start(): void
  /** Stops polling and waits for work under way. An unfinished run continues after the next start. */
  close(): Promise<void>
}

export type ProviderSimulatorOptions = {
  log: Logger
  /** Called for each event on the floor, as it happens. */
  onEvent?: (event: ProductionEvent) => void
  /** Called at a crash point, before the factory stops working. */
  onCrash?: (point: CrashPoint) => void
  /** Makes the HTTP calls. Default: the global `fetch`. */
  fetch?: Fetch
  /** Returns what to do with each document. Default: ask the address in the settings. */
  outcomeOf?: DocumentOutcomes | undefined
}

/**
 * Creates a print factory that communicates with Despatch only over HTTP. It claims released print runs, checks, prints
 * and posts their documents, accounts for each, and closes the run. Its files let it continue after a crash without
 * printing anything twice. Settings switch on everything that can go wrong in a factory.
 */
export async function createProviderSimulator(
  config: ProviderSimulatorConfig,
  {
    log,
    onEvent = () => {},
    onCrash = () => {},
    fetch = globalThis.fetch,
    outcomeOf,
  }: ProviderSimulatorOptions,
): Promise<ProviderSimulator> {
  await using parts = new AsyncDisposableStack()
  const directory = config.DESPATCH_PROVIDER_DIRECTORY
  const settings = config.DESPATCH_SIMULATOR_FLOOR ?? floorSchema.parse({})
  const runBook = await openRunBook(join(directory, 'runs'))
  const printLog = parts.adopt(
    await openPrintLog(join(directory, 'print-log.ndjson'), {
      serialNumberPrefix: settings.serialNumberPrefix,
    }),
    (log) => log.close(),
  )
  const closing = new AbortController()
  const { signal } = closing
  const options: ClientOptions = {
    baseUrl: config.DESPATCH_BASE_URL,
    allowInsecureHttp: config.DESPATCH_PROVIDER_INSECURE_HTTP,
    userName: config.DESPATCH_PROVIDER_USER_NAME,
    password: config.DESPATCH_PROVIDER_PASSWORD,
    apiKey: config.DESPATCH_PROVIDER_API_KEY,
    fetch: losingReplies(fetch, settings),
    signal,
    timeoutMs: 60_000,
    attemptsMax: 6,
  }
  const skewMs = settings.clockSkewSeconds * 1_000

  async function reach(point: CrashPoint, run: RunInHand): Promise<void> {
    const { crashes = [] } = run.record
    if (!settings.crashAt.includes(point) || crashes.includes(point)) return
    await run.save({ crashes: [...crashes, point] })
    log.warn({ batchNumber: run.batchNumber, point }, 'simulator.crashed')
    closing.abort()
    onCrash(point)
    throw new Crashed(point)
  }

  const floor: Omit<Production, 'openRecalls'> = {
    client: new ProviderClient(options),
    outcomeOf:
      outcomeOf ??
      createDocumentOutcomes(openSession(options), config.DESPATCH_SIMULATOR_OUTCOMES_URL),
    settings,
    runBook,
    printLog,
    pace: createPace(settings.documentsPerSecond),
    clock: () => new Date(Date.now() + skewMs),
    log,
    signal,
    onEvent,
    reach,
  }
  const workLoop = createWorkLoop(floor)
  let running: Promise<void> | undefined
  parts.defer(async () => {
    closing.abort()
    await running
  })
  const opened = parts.move()
  return {
    name: 'provider-simulator',
    start: () => {
      running ??= workLoop()
    },
    close: () => opened.disposeAsync(),
  }
}
