import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@despatch/telemetry/logger'
import { openApiSession } from './api-session.ts'
import type { ProviderSimulatorConfig } from './config.ts'
import { createDocumentOutcomes } from './document-outcomes.ts'
import { createFulfilmentClient } from './fulfilment-client.ts'
import { openPrintLog } from './print-log.ts'
import { type ProductionEvent, producePrintRun } from './produce-print-run.ts'
import { openRunBook } from './run-book.ts'

export type ProviderSimulator = {
  name: 'provider-simulator'
  start(): void
  /** Stops asking and waits for what is under way; a run in hand goes on at the next start. */
  close(): Promise<void>
}

export type ProviderSimulatorOptions = {
  log: Logger
  /** Told of what happens on the floor, as it happens. */
  onEvent?: (event: ProductionEvent) => void
}

const runsAtOnceMax = 4

/**
 * A print factory that speaks nothing but HTTP to Despatch: it claims released print runs, checks and prints their
 * documents, and posts them. It keeps what it needs to go on after a crash without printing anything twice.
 */
export async function createProviderSimulator(
  config: ProviderSimulatorConfig,
  { log, onEvent = () => {} }: ProviderSimulatorOptions,
): Promise<ProviderSimulator> {
  const directory = config.DESPATCH_PROVIDER_DIRECTORY
  const runBook = await openRunBook(join(directory, 'runs'))
  const printLog = await openPrintLog(join(directory, 'print-log.ndjson'))
  const closing = new AbortController()
  const { signal } = closing
  const session = openApiSession({
    baseUrl: config.DESPATCH_BASE_URL,
    userName: config.DESPATCH_PROVIDER_USER_NAME,
    password: config.DESPATCH_PROVIDER_PASSWORD,
    apiKey: config.DESPATCH_PROVIDER_API_KEY,
    signal,
  })
  const client = createFulfilmentClient(session)
  const outcomeOf = createDocumentOutcomes(session, config.DESPATCH_SIMULATOR_OUTCOMES_URL)
  const printTimeMs = config.DESPATCH_PROVIDER_PRINT_TIME_MS
  const inHand = new Map<string, Promise<void>>()

  async function produce(batchNumber: string): Promise<void> {
    const startedAt = performance.now()
    try {
      const result = await producePrintRun(batchNumber, {
        client,
        outcomeOf,
        runBook,
        printLog,
        printTimeMs,
        signal,
        onEvent,
      })
      const durationMs = Math.round(performance.now() - startedAt)
      log.info({ batchNumber, durationMs, ...result }, 'print-run.produced')
    } catch (error) {
      if (!signal.aborted) log.error({ batchNumber, err: error }, 'print-run.interrupted')
    } finally {
      inHand.delete(batchNumber)
    }
  }

  async function takeWork(): Promise<void> {
    // Released runs come first, so that one which fails again and again keeps none of them waiting.
    const released = await client.listReleased()
    const unfinished = await runBook.listUnfinished()
    for (const batchNumber of new Set([...released, ...unfinished])) {
      if (inHand.size >= runsAtOnceMax) return
      if (!inHand.has(batchNumber)) inHand.set(batchNumber, produce(batchNumber))
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await takeWork()
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'print-runs.not-listed')
      }
      await pause(config.DESPATCH_PROVIDER_POLL_INTERVAL_MS, undefined, { signal }).catch(() => {})
    }
    await Promise.all(inHand.values())
  }

  let running: Promise<void> | undefined
  return {
    name: 'provider-simulator',
    start: () => {
      running ??= run()
    },
    close: async () => {
      closing.abort()
      await running
      await printLog.close()
    },
  }
}
