import { DespatchError } from '@despatch/client/despatch-error'
import type { Manifest } from '@despatch/client/print-run'
import { acknowledgeRun } from '../stages/acknowledge-run.ts'
import { answerRecalls } from '../stages/answer-recalls.ts'
import { claimRun } from '../stages/claim-run.ts'
import { closeRun } from '../stages/close-run.ts'
import { fetchDocuments } from '../stages/fetch-documents.ts'
import { postDocuments } from '../stages/post-documents.ts'
import { printDocuments } from '../stages/print-documents.ts'
import { reportEvents } from '../stages/report-events.ts'
import { reprintDocuments, reprintsPerPage } from '../stages/reprint-documents.ts'
import type { Production } from './production.ts'
import { isAnyHeld, type RunInHand } from './run-book.ts'

/**
 * `waiting`: an operator must decide on reprints. `held`: documents are never handed over, as ordered. `unaccounted`:
 * the platform misses documents that the factory does not. `withdrawn`: the run no longer belongs to the factory.
 */
export type ProductionResult = 'closed' | 'waiting' | 'held' | 'unaccounted' | 'withdrawn'

/**
 * Takes a print run as far as possible, from claim to close. After a crash, or while it waits, call it again: it
 * repeats each API call with the same key, and prints nothing twice.
 */
export async function producePrintRun(
  batchNumber: string,
  production: Production,
): Promise<ProductionResult> {
  const run = await production.runBook.take(batchNumber)
  try {
    const result = await produce(run, production)
    const isFinished = result !== 'waiting' && result !== 'unaccounted'
    if (isFinished) await run.save({ finishedAt: new Date().toISOString() })
    return result
  } catch (error) {
    if (!isWithdrawn(error)) throw error
    await run.save({ finishedAt: new Date().toISOString() })
    return 'withdrawn'
  } finally {
    await run.close()
  }
}

async function produce(run: RunInHand, production: Production): Promise<ProductionResult> {
  if (await isStillWaiting(run, production)) return 'waiting'
  const manifest = await takeIn(run, production)
  if (!manifest) return 'withdrawn'
  const { waitingCount } = await makeDocuments(run, manifest, production)
  await postDocuments(run, manifest, production)
  const result = await closeRun(run, manifest, production)
  // Saved last: a run that only waits must have no other work left.
  await run.save({ waitingCount })
  if (result === 'closed') return 'closed'
  if (waitingCount > 0) return 'waiting'
  return isAnyHeld(run.record) ? 'held' : 'unaccounted'
}

/** Prints documents and reprints spoiled ones, until nothing on the floor can be printed. */
async function makeDocuments(
  run: RunInHand,
  manifest: Manifest,
  production: Production,
): Promise<{ waitingCount: number }> {
  for (;;) {
    await answerRecalls(run, production.openRecalls(), production)
    await printDocuments(run, manifest, production)
    await reportEvents(run, production)
    const { readyCount, waitingCount } = await reprintDocuments(run, manifest, production)
    if (readyCount === 0) return { waitingCount }
  }
}

/** Returns whether the run still only waits for reprints. This check avoids reading the whole manifest again. */
async function isStillWaiting(
  { batchNumber, record, journal }: RunInHand,
  { client, openRecalls }: Production,
): Promise<boolean> {
  if (!record.waitingCount || journal.unreported().length > 0) return false
  if (openRecalls().some((recall) => recall.batchNumber === batchNumber)) return false
  const filter = { state: 'WAITING', limit: reprintsPerPage }
  const waiting = await Array.fromAsync(client.listReprints(batchNumber, filter))
  return waiting.length === record.waitingCount
}

/** Claims, fetches and acknowledges the run. Returns undefined if the factory cannot have it. */
async function takeIn(run: RunInHand, production: Production): Promise<Manifest | undefined> {
  if (run.record.acknowledgedAt) return production.client.getManifest(run.batchNumber)
  const claimed = await claimRun(run, production)
  if (!claimed) return
  await fetchDocuments(run, claimed, production)
  await acknowledgeRun(run, claimed.manifest, production)
  return claimed.manifest
}

/** Returns whether an operator has reassigned or closed the run. */
function isWithdrawn(error: unknown): boolean {
  if (!(error instanceof DespatchError)) return false
  return error.code === 'PrintRunNotInProduction' || error.code === 'PrintRunNotFound'
}
