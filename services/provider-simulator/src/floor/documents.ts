import type { Manifest, ManifestDocument } from '@despatch/client/print-run'
import type { LatestEvent } from '../print-run/event-journal.ts'
import type { RunRecord } from '../print-run/run-book.ts'

/** Returns the documents of a run to print and post: neither refused nor recalled. */
export function documentsToMake(
  { documents }: Manifest,
  { refusals = [], recalls = [] }: RunRecord,
): ManifestDocument[] {
  const dropped = new Set([
    ...refusals.map(({ documentId }) => documentId),
    ...recalls.flatMap(({ stopped }) => stopped),
  ])
  return documents.filter(({ documentId }) => !dropped.has(documentId))
}

/** Returns whether an attempt is on the floor: its file has been fetched, and it has no final event. */
export function isToBePrinted(latest: LatestEvent | undefined): latest is LatestEvent {
  return latest !== undefined && ['FETCHED', 'PRINTED', 'DIVERTED'].includes(latest.type)
}

/** Returns the documents that can be handed over: enclosed, not held, and in no posting. */
export function documentsToPost(
  documents: readonly ManifestDocument[],
  { orders = {}, postings = [] }: RunRecord,
  latest: (documentId: string) => LatestEvent | undefined,
): string[] {
  const posted = new Set(postings.flatMap(({ documentIds }) => documentIds))
  return documents
    .map(({ documentId }) => documentId)
    .filter((id) => latest(id)?.type === 'ENCLOSED')
    .filter((id) => orders[id]?.outcome !== 'hold' && !posted.has(id))
}

/**
 * Returns the documents that the platform has lost: they belong to confirmed postings, but the platform has no posting
 * for them.
 */
export function documentsLost(
  missing: readonly { documentId: string; isPosted: boolean }[],
  { postings = [] }: RunRecord,
): string[] {
  const handedOver = new Set(
    postings.filter(({ confirmedAt }) => confirmedAt).flatMap(({ documentIds }) => documentIds),
  )
  return missing
    .filter(({ documentId, isPosted }) => !isPosted && handedOver.has(documentId))
    .map(({ documentId }) => documentId)
}

/** Returns which documents of a recall can still be stopped: those in no posting. */
export function decideRecall(
  { recallId, documents }: { recallId: string; documents: readonly { documentId: string }[] },
  { postings = [] }: RunRecord,
): { recallId: string; stopped: string[]; tooLate: string[] } {
  const posted = new Set(postings.flatMap(({ documentIds }) => documentIds))
  const ids = documents.map(({ documentId }) => documentId)
  return {
    recallId,
    stopped: ids.filter((id) => !posted.has(id)),
    tooLate: ids.filter((id) => posted.has(id)),
  }
}
