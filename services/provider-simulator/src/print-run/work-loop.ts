import { setTimeout as pause } from 'node:timers/promises'
import type { PrintRun, RecallRequest } from '@despatch/client/print-run'
import { orderByDeadline } from '../floor/order-by-deadline.ts'
import { type ProductionResult, producePrintRun } from './produce-print-run.ts'
import type { Production } from './production.ts'

type WorkSummary = {
  streams: { released: { printRunCount: number; documentCount: number } }[]
}

const prefix = '/print-fulfilment/v1'
const runsAtOnceMax = 4
const heartbeatIntervalMs = 30_000
/** The longest pause before a run that keeps failing is retried. */
const retryPauseMsMax = 30_000

/** Creates the loop that looks for work until the signal aborts: released runs, waiting runs, and recalls. */
export function createWorkLoop(floor: Omit<Production, 'openRecalls'>): () => Promise<void> {
  const { client, runBook, clock, log, signal, onEvent } = floor
  const { pollIntervalMs, printLocations } = floor.settings
  let recalls: readonly RecallRequest[] = []
  const production: Production = { ...floor, openRecalls: () => recalls }
  const inHand = new Map<string, Promise<void>>()
  const failures = new Map<string, { count: number; retryAtMs: number }>()
  let heartbeatAtMs = 0

  async function greet(): Promise<void> {
    if (performance.now() < heartbeatAtMs) return
    heartbeatAtMs = performance.now() + heartbeatIntervalMs
    // The client's own heartbeat would have the time of this machine.
    const heartbeat = { body: { sentAt: clock().toISOString() }, isRepeatable: true }
    await client.call('POST', `${prefix}/heartbeat`, heartbeat)
    const { streams } = await client.call<WorkSummary>('GET', `${prefix}/work-summary`)
    const printRunCount = sum(streams.map(({ released }) => released.printRunCount))
    const documentCount = sum(streams.map(({ released }) => released.documentCount))
    log.info({ streamCount: streams.length, printRunCount, documentCount }, 'work.announced')
  }

  async function listReleased(): Promise<PrintRun[]> {
    const places = printLocations ?? [undefined]
    const lists = await Promise.all(
      places.map((printLocation) =>
        Array.fromAsync(client.listPrintRuns({ state: 'RELEASED', printLocation })),
      ),
    )
    return orderByDeadline(lists.flat())
  }

  async function takeWork(): Promise<void> {
    // Released runs come first, so that a run that keeps failing does not delay them.
    const released = await listReleased()
    if (released.length === 0 && !runBook.isAnyInHouse()) return
    await attempt(async () => {
      recalls = await Array.fromAsync(client.listRecallRequests({ state: 'OPEN' }))
    }, 'recalls.not-listed')
    const recalled = recalls.map(({ batchNumber }) => batchNumber).filter(runBook.knows)
    const offered = new Map(released.map((run) => [run.batchNumber, run]))
    const wanted = new Set([...offered.keys(), ...recalled, ...runBook.listUnfinished()])
    for (const batchNumber of wanted) {
      if (inHand.size >= runsAtOnceMax) return
      if (inHand.has(batchNumber) || isLeftAlone(batchNumber)) continue
      const run = offered.get(batchNumber)
      if (run && !runBook.knows(batchNumber)) reportOffer(run)
      inHand.set(batchNumber, produce(batchNumber))
    }
  }

  function reportOffer(run: PrintRun): void {
    const { batchNumber, expectedDespatchDate, documentCount, sheetCount } = run
    onEvent({ kind: 'offered', batchNumber, expectedDespatchDate, documentCount, sheetCount })
  }

  function isLeftAlone(batchNumber: string): boolean {
    return (failures.get(batchNumber)?.retryAtMs ?? 0) > performance.now()
  }

  async function produce(batchNumber: string): Promise<void> {
    const startedAt = performance.now()
    try {
      const outcome = await producePrintRun(batchNumber, production)
      const durationMs = Math.round(performance.now() - startedAt)
      if (outcome !== 'waiting')
        log.info({ batchNumber, durationMs, outcome }, 'print-run.produced')
      judge(batchNumber, outcome)
    } catch (error) {
      if (!signal.aborted) log.error({ batchNumber, err: error }, 'print-run.interrupted')
      judge(batchNumber, 'unaccounted')
    } finally {
      inHand.delete(batchNumber)
    }
  }

  function judge(batchNumber: string, outcome: ProductionResult): void {
    if (outcome !== 'unaccounted') {
      failures.delete(batchNumber)
      return
    }
    const count = (failures.get(batchNumber)?.count ?? 0) + 1
    const pauseMs = Math.min(pollIntervalMs * 2 ** Math.min(count, 16), retryPauseMsMax)
    failures.set(batchNumber, { count, retryAtMs: performance.now() + pauseMs })
  }

  const attempt = async (work: () => Promise<void>, failure: string) => {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, failure)
    }
  }

  return async () => {
    while (!signal.aborted) {
      await attempt(greet, 'heartbeat.not-sent')
      await attempt(takeWork, 'print-runs.not-listed')
      await pause(pollIntervalMs, undefined, { signal }).catch(() => {})
    }
    await Promise.all(inHand.values())
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
