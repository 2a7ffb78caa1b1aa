import { Refused } from './api-session.ts'
import type { Manifest } from './manifest.ts'
import type { Production } from './production.ts'
import type { RunInHand } from './run-book.ts'
import { acknowledgeRun } from './stages/acknowledge-run.ts'
import { answerRecalls } from './stages/answer-recalls.ts'
import { claimRun } from './stages/claim-run.ts'
import { closeRun } from './stages/close-run.ts'
import { fetchDocuments } from './stages/fetch-documents.ts'
import { postDocuments } from './stages/post-documents.ts'
import { printDocuments } from './stages/print-documents.ts'
import { reportEvents } from './stages/report-events.ts'
import { reprintDocuments } from './stages/reprint-documents.ts'

/**
 * `waiting`: an operator has to decide on reprints. `held`: documents are never handed over, as ordered. `unaccounted`:
 * the platform misses documents that the factory does not. `withdrawn`: the run is not the factory's any more.
 */
export type ProductionResult = 'closed' | 'waiting' | 'held' | 'unaccounted' | 'withdrawn'

/**
 * Takes a print run as far as it can be taken: from claim to close. After a crash, or while something is waited for, it
 * is simply called again: each call to the API is repeated with the key it had, and what has been printed is not printed
 * again.
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
  // Kept last: what is only waited for has nothing else left to do.
  await run.save({ waitingCount })
  if (result === 'closed') return 'closed'
  if (waitingCount > 0) return 'waiting'
  return isAnyHeld(run) ? 'held' : 'unaccounted'
}

/** Prints, and prints again what was spoiled, until nothing that may be printed lies on the floor. */
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

/** Whether there is nothing to do but to wait on, which is asked before the whole manifest is read again. */
async function isStillWaiting(
  { batchNumber, record, journal }: RunInHand,
  { client, openRecalls }: Production,
): Promise<boolean> {
  if (!record.waitingCount || journal.unreported().length > 0) return false
  if (openRecalls().some((recall) => recall.batchNumber === batchNumber)) return false
  const waiting = await client.listReprints(batchNumber, 'WAITING')
  return waiting.length === record.waitingCount
}

/** Takes the run in, up to its acknowledgement. Undefined when it is not to be had. */
async function takeIn(run: RunInHand, production: Production): Promise<Manifest | undefined> {
  if (run.record.acknowledgedAt) return production.client.getManifest(run.batchNumber)
  const claimed = await claimRun(run, production)
  if (!claimed) return
  await fetchDocuments(run, claimed, production)
  await acknowledgeRun(run, claimed.manifest, production)
  return claimed.manifest
}

function isAnyHeld({ record }: RunInHand): boolean {
  return Object.values(record.orders ?? {}).some(({ outcome }) => outcome === 'hold')
}

/** An operator has moved the run elsewhere, or closed it. */
function isWithdrawn(error: unknown): boolean {
  if (!(error instanceof Refused)) return false
  return error.code === 'PrintRunNotInProduction' || error.code === 'PrintRunNotFound'
}
