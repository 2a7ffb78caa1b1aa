import {
  type PrintRunDetailsResponse,
  renderPrintRunDetails,
} from '@despatch/contracts/administration/print-run'
import type { Db } from '@despatch/store/database'
import { listUnaccounted } from '@despatch/store/print-run/unaccounted'
import { describeUnaccounted } from './describe-unaccounted.ts'
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
