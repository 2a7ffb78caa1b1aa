import type { Manifest, Reprint } from '@despatch/client/print-run'
import { documentsToMake } from '../floor/documents.ts'
import { inParts } from '../floor/in-parts.ts'
import type { Production } from '../print-run/production.ts'
import type { RunInHand } from '../print-run/run-book.ts'
import { fetchDocument } from './fetch-documents.ts'

const reprintsPerCallMax = 2_500
export const reprintsPerPage = 1_000

/**
 * Requests reprints of spoiled documents, and fetches the files of authorised ones, which are then on the floor. Counts
 * those that wait for an operator, and drops those that are refused.
 */
export async function reprintDocuments(
  run: RunInHand,
  manifest: Manifest,
  production: Production,
): Promise<{ readyCount: number; waitingCount: number }> {
  const { journal } = run
  const spoiled = documentsToMake(manifest, run.record).flatMap(({ documentId }) => {
    const latest = journal.latest(documentId)
    return latest?.type === 'SPOILED' ? [{ documentId, ...latest }] : []
  })
  const reprints = spoiled.length > 0 ? await askFor(spoiled, run, production) : []
  const authorised = reprints.filter(({ state }) => state === 'AUTHORISED')
  for (const reprint of authorised) await prepare(run, reprint, production)
  const waitingCount = reprints.filter(({ state }) => state === 'WAITING').length
  return { readyCount: authorised.length, waitingCount }
}

type Spoiled = { documentId: string; attempt: number; reasonCode?: string | undefined }

/** Returns the reprint of each document, and requests those that were not requested before. */
async function askFor(
  spoiled: readonly Spoiled[],
  run: RunInHand,
  { client }: Production,
): Promise<Reprint[]> {
  const attempts = new Map(spoiled.map(({ documentId, attempt }) => [documentId, attempt]))
  const isNext = ({ documentId, attempt }: Reprint) =>
    attempt > (attempts.get(documentId) ?? attempt)
  const { batchNumber, record } = run
  const { reprintsAsked = {} } = record
  const isAnyRequested = spoiled.some(
    ({ documentId, attempt }) => reprintsAsked[documentId] === attempt,
  )
  const listed = isAnyRequested
    ? await Array.fromAsync(client.listReprints(batchNumber, { limit: reprintsPerPage }))
    : []
  const known = listed.filter(isNext)
  const isKnown = new Set(known.map(({ documentId }) => documentId))
  const wanted = spoiled
    .filter(({ documentId }) => !isKnown.has(documentId))
    .map(({ documentId, reasonCode = 'SPOILED' }) => ({ documentId, reasonCode }))
  if (wanted.length > 0) {
    const requested = wanted.map(({ documentId }) => [documentId, attempts.get(documentId)])
    await run.save({ reprintsAsked: { ...reprintsAsked, ...Object.fromEntries(requested) } })
  }
  for (const documents of inParts(wanted, reprintsPerCallMax)) {
    known.push(...(await client.requestReprints(batchNumber, documents)).filter(isNext))
  }
  return known
}

async function prepare(run: RunInHand, reprint: Reprint, production: Production): Promise<void> {
  const { batchNumber } = run
  const { documentId, attempt } = reprint
  production.onEvent({ kind: 'reprint-authorised', batchNumber, documentId, attempt })
  const cause = await fetchDocument(run, reprint, production)
  if (!cause) return
  const occurredAt = production.clock().toISOString()
  await run.journal.note({ documentId, attempt, type: 'FAILED', occurredAt, ...cause })
  production.onEvent({ kind: 'failed', batchNumber, documentId, reasonCode: cause.reasonCode })
}
