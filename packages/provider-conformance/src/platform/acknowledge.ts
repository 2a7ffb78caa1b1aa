import type { AcknowledgementRequest } from '@despatch/contracts/print-fulfilment/acknowledgement'
import { stateAfterAcknowledgement } from '@despatch/domain/print-run/state'
import { invalidFields, Problem } from '@despatch/domain/problem'
import { fingerprintOf } from '../fingerprint.ts'
import { manifestOf } from './manifest.ts'
import { findDocument, type PlatformRun } from './platform-run.ts'

/** Saves the acknowledgement, once. Throws a Problem if it does not match the manifest or an earlier one. */
export function acknowledgeRun(
  run: PlatformRun,
  request: AcknowledgementRequest,
  now: Date,
): NonNullable<PlatformRun['acknowledgement']> {
  const { batchNumber } = run
  const fingerprint = fingerprintOf(request)
  if (!run.claimedAt) throw mismatch(`Print run ${batchNumber} has not been claimed`)
  if (run.acknowledgement) {
    if (run.acknowledgement.fingerprint === fingerprint) return run.acknowledgement
    throw mismatch(`Print run ${batchNumber} was already acknowledged with other content`)
  }
  const manifest = manifestOf(run)
  for (const field of ['manifestDigest', 'documentCount', 'sheetCount'] as const) {
    if (request[field] !== manifest[field]) {
      throw mismatch(`${field} differs from the manifest of print run ${batchNumber}`)
    }
  }
  const refusedCount = request.refusal ? manifest.documentCount : refuse(run, request)
  const state = request.refusal
    ? 'REFUSED'
    : stateAfterAcknowledgement({ documentCount: manifest.documentCount, refusedCount })
  run.acknowledgement = { fingerprint, state, refusedCount, at: now }
  return run.acknowledgement
}

function refuse(run: PlatformRun, { refusals = [] }: AcknowledgementRequest): number {
  const documents = refusals.map(({ documentId }) => findDocument(run, documentId))
  const faults = documents.flatMap((document, index) => {
    if (document) return []
    const field = `refusals[${index}].documentId`
    const detail = `${field} is not a document of print run ${run.batchNumber}`
    return [{ field, code: 'NotFound', detail }]
  })
  if (faults.length > 0) throw invalidFields(faults)
  for (const document of documents) document!.standing.outcome = 'REFUSED'
  return documents.length
}

function mismatch(detail: string): Problem {
  return new Problem('digest-mismatch', `${detail}; nothing has changed`)
}
