import {
  type PrintRunDetailsResponse,
  renderPrintRunDetails,
} from '@despatch/contracts/administration/print-run'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { Db } from '@despatch/store/database'
import { listUnaccounted, type UnaccountedDocument } from '@despatch/store/print-run/unaccounted'
import { requirePrintRun } from './print-runs.ts'

const documentsMax = 100

/** Returns a print run with its reconciliation and its missing documents. Throws a Problem if there is none. */
export async function getPrintRunDetails(
  db: Db,
  batchNumber: string,
): Promise<PrintRunDetailsResponse> {
  const run = await requirePrintRun(db, batchNumber)
  if (!run.account?.missing) return renderPrintRunDetails(run)
  const documents = await listUnaccounted(db, batchNumber, { after: 0, documentsMax })
  const unaccounted = documents.map((document) => ({
    documentId: document.documentId,
    attempt: document.attempt,
    standing: describeUnaccounted(document, run.state),
  }))
  return renderPrintRunDetails({ ...run, unaccounted })
}

/** Describes the progress of the document, and what an operator can do about it. */
export function describeUnaccounted(document: UnaccountedDocument, state: PrintRunState): string {
  const { documentId, attempt, progress, postingId, isReprintWaiting } = document
  const subject = `Attempt ${attempt} at document ${documentId}`
  if (state === 'REFUSED')
    return `${subject} was refused with the print run: reassign or recall the run`
  if (isReprintWaiting) return `${subject} is SPOILED: decide on its reprint`
  const remedy = remedyFor(document)
  if (postingId) return `${subject} is in posting ${postingId}, which is not confirmed${remedy}`
  const reported = progress ? `was reported as ${progress}` : 'has not been reported on'
  return `${subject} ${reported}${remedy}`
}

function remedyFor({ progress, isTooLate }: UnaccountedDocument): string {
  return isTooLate && progress !== 'SPOILED'
    ? ', and it was too late to recall it: record its posting on behalf of the provider'
    : ': recall it, and settle the recall'
}
