import { contentPath } from '@despatch/contracts/print-fulfilment/paths'
import { documentNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { ReprintResponse } from '@despatch/contracts/print-fulfilment/reprint'
import { Problem } from '@despatch/domain/problem'
import { mustBeInProduction } from './item-events.ts'
import { findDocument, type PlatformRun, type Reprint } from './platform-run.ts'

/**
 * Requests further attempts, which wait for authorisation. Throws a Problem and requests none unless every document was
 * spoiled.
 */
export function requestReprints(
  run: PlatformRun,
  documents: readonly { documentId: string; reasonCode: string }[],
  now: Date,
): Reprint[] {
  mustBeInProduction(run)
  const wanted = documents.map(({ documentId, reasonCode }) => {
    const document = findDocument(run, documentId)
    if (!document) throw documentNotFound(documentId, run.batchNumber)
    const last = run.reprints.findLast((reprint) => reprint.documentId === documentId)
    const { standing, fulfilmentJobId } = document
    if (last?.state === 'WAITING' || (last && standing.progress !== 'SPOILED')) return last
    if (standing.progress !== 'SPOILED' || standing.outcome !== null) {
      throw new Problem(
        'reprint-not-possible',
        `Document ${documentId} was not reported as SPOILED`,
      )
    }
    const attempt = standing.attempt + 1
    const state = 'WAITING' as const
    return { documentId, fulfilmentJobId, attempt, state, reasonCode, requestedAt: now }
  })
  for (const reprint of wanted) if (!run.reprints.includes(reprint)) run.reprints.push(reprint)
  if (run.quirks.authorisationSeconds === undefined) authoriseReprints(run, now)
  return wanted
}

/** Authorises the reprints that have waited long enough. The attempt may then be printed. */
export function authoriseReprints(run: PlatformRun, now: Date): void {
  const waitedSeconds = run.quirks.authorisationSeconds ?? 0
  for (const reprint of run.reprints) {
    const waitedMs = now.getTime() - reprint.requestedAt.getTime()
    if (reprint.state !== 'WAITING' || waitedMs < waitedSeconds * 1_000) continue
    reprint.state = 'AUTHORISED'
    reprint.decidedAt = now
    const document = findDocument(run, reprint.documentId)!
    document.standing = { ...document.standing, attempt: reprint.attempt, progress: null }
  }
}

export function renderReprint(run: PlatformRun, reprint: Reprint): ReprintResponse {
  const { sheets, pages, sha256 } = findDocument(run, reprint.documentId)!
  const { requestedAt, decidedAt, ...others } = reprint
  return {
    ...others,
    sheets,
    pages,
    sha256,
    content: contentPath(run.batchNumber, reprint.documentId),
    requestedAt: requestedAt.toISOString(),
    ...(decidedAt && { decidedAt: decidedAt.toISOString() }),
  }
}
