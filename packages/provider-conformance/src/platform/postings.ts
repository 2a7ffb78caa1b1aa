import { randomUUID } from 'node:crypto'
import { type PostingRequest, renderPosting } from '@despatch/contracts/print-fulfilment/posting'
import { postingNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { isPostable } from '@despatch/domain/print-run/document-progress'
import { Problem } from '@despatch/domain/problem'
import { fingerprintOf } from '../fingerprint.ts'
import { mustBeInProduction } from './item-events.ts'
import { getRun, type Platform } from './platform.ts'
import { liveDocuments, type PlatformDocument, type PlatformRun, totalsOf } from './platform-run.ts'

import { despatchMethod, format, weightBandGrams } from './stream.ts'

export type PlatformPosting = {
  postingId: string
  key: string
  fingerprint: string
  request: PostingRequest
  covered: readonly { batchNumber: string; documents: readonly PlatformDocument[] }[]
  createdAt: Date
  confirmedAt?: Date
}

/** Returns the documents that a request names. A run without named documents means all that can be posted. */
export function postedRuns(request: PostingRequest) {
  if (request.printRuns) return request.printRuns
  const { batchNumber = '', documentIds } = request
  return [{ batchNumber, ...(documentIds && { documentIds }) }]
}

/** Saves a posting, once for each key. */
export function createPosting(
  platform: Platform,
  { key, request }: { key: string; request: PostingRequest },
): PlatformPosting {
  const fingerprint = fingerprintOf(request)
  const earlier = [...platform.postings.values()].find((posting) => posting.key === key)
  if (earlier?.fingerprint === fingerprint) return earlier
  if (earlier) throw conflict('The Idempotency-Key belongs to another posting')
  const covered = postedRuns(request).map(({ batchNumber, documentIds }) => {
    const run = getRun(platform, batchNumber)
    return { batchNumber, documents: coverable(run, documentIds) }
  })
  const documents = covered.flatMap((run) => run.documents)
  if (documents.length === 0) throw conflict('There is nothing left to post')
  mustFitCounts(request, documents.length)
  const postingId = randomUUID()
  for (const document of documents) document.postingId = postingId
  const createdAt = platform.now()
  const posting = { postingId, key, fingerprint, request, covered, createdAt }
  platform.postings.set(postingId, posting)
  return posting
}

function coverable(
  run: PlatformRun,
  documentIds: readonly string[] | undefined,
): PlatformDocument[] {
  mustBeInProduction(run)
  const postable = liveDocuments(run).filter(
    ({ postingId, standing }) => postingId === undefined && isPostable(standing),
  )
  if (!documentIds) return postable
  const byId = new Map(postable.map((document) => [document.documentId, document]))
  return documentIds.map((documentId) => {
    const document = byId.get(documentId)
    if (!document) throw conflict(`Document ${documentId} of ${run.batchNumber} cannot be posted`)
    return document
  })
}

/** All documents of the kit have one despatch method, format and weight band. */
function mustFitCounts({ counts = [] }: PostingRequest, documentCount: number): void {
  const isRight = counts.every(
    (count) =>
      count.despatchMethod === despatchMethod &&
      count.format === format &&
      (count.weightBandGrams ?? weightBandGrams) === weightBandGrams &&
      count.documentCount === documentCount,
  )
  if (!isRight) throw conflict(`counts differ from what is covered: ${documentCount} documents`)
}

/** Throws a Problem if there is no such posting. */
export function getPosting({ postings }: Platform, postingId: string): PlatformPosting {
  const posting = postings.get(postingId)
  if (!posting) throw postingNotFound(postingId)
  return posting
}

/** Confirms a posting: its documents are despatched, except one that a case may require to be lost. Safe to repeat. */
export function confirmPosting(platform: Platform, postingId: string): PlatformPosting {
  const posting = getPosting(platform, postingId)
  if (posting.confirmedAt) return posting
  posting.confirmedAt = platform.now()
  for (const { batchNumber, documents } of posting.covered) {
    const { quirks } = getRun(platform, batchNumber)
    for (const document of documents.filter((each) => each.postingId === postingId)) {
      if (document.documentId === quirks.lostDocumentId) {
        delete quirks.lostDocumentId
        delete document.postingId
      } else document.standing.outcome ??= 'DESPATCHED'
    }
  }
  return posting
}

export function renderPlatformPosting(posting: PlatformPosting) {
  const { postingId, request, covered, createdAt, confirmedAt } = posting
  const documents = covered.flatMap((run) => run.documents)
  const { documentCount, sheetCount } = totalsOf(documents)
  return renderPosting({
    postingId,
    printRuns: covered.map((run) => ({ batchNumber: run.batchNumber, ...countsOf(run) })),
    carrier: request.carrier,
    handoverAt: new Date(request.handoverAt),
    manifestNumber: request.manifestNumber ?? null,
    documentCount,
    sheetCount,
    evidence: [],
    createdAt,
    confirmedAt: confirmedAt ?? null,
  })
}

function countsOf({ documents }: { documents: readonly PlatformDocument[] }) {
  const { documentCount, sheetCount } = totalsOf(documents)
  return { documentCount, sheetCount }
}

function conflict(detail: string): Problem {
  return new Problem('posting-conflict', detail)
}
