import type { printRunDetailsSchema } from '@despatch/contracts/administration/print-run'
import { adviceOn } from '@despatch/domain/print-run/advice'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { Db } from '@despatch/store/database'
import { listUnaccounted, type UnaccountedDocument } from '@despatch/store/print-run/unaccounted'
import { sql } from 'kysely'
import type { z } from 'zod'
import { recipientNameOfJob } from '../print-job/details.ts'
import { requirePrintRun } from './refusals.ts'

const documentsMax = 100

/** Returns a print run with its reconciliation and its missing documents. Throws a Problem if there is none. */
export async function getPrintRunDetails(
  db: Db,
  batchNumber: string,
): Promise<z.input<typeof printRunDetailsSchema>> {
  const run = await requirePrintRun(db, batchNumber)
  if (!run.account?.missing) return run
  const documents = await listUnaccounted(db, batchNumber, { after: 0, documentsMax })
  const links = await findLinks(db, batchNumber, documents)
  const unaccounted = documents.map((document) => {
    return {
      ...document,
      ...links.get(document.documentId)!,
      advice: adviceOn(document, run.state),
      standing: describeUnaccounted(document, run.state),
    }
  })
  return { ...run, unaccounted }
}

type Links = {
  documentId: string
  printJobKey: string
  printJobId: string
  recipientName: string | null
  updatedAt: Date
  reprintId: string | null
}

/** Finds the print job of each document with its recipient, and the reprint that waits for a decision. */
async function findLinks(
  db: Db,
  batchNumber: string,
  documents: readonly UnaccountedDocument[],
): Promise<ReadonlyMap<string, Links>> {
  const documentIds = documents.map(({ documentId }) => documentId)
  const { rows } = await sql<Links>`
    select document.document_id as "documentId", job.key as "printJobKey", job.id as "printJobId",
      ${recipientNameOfJob} as "recipientName", job.updated_at as "updatedAt",
      reprint.id::text as "reprintId"
    from print_run_document document
    join print_job job on job.key = document.print_job_key
    left join reprint on reprint.batch_number = document.batch_number
      and reprint.document_id = document.document_id and reprint.state = 'WAITING'
    where document.batch_number = ${batchNumber} and document.document_id = any (${documentIds}::text[])`.execute(
    db,
  )
  return new Map(rows.map((links) => [links.documentId, links]))
}

/** Describes the progress of the document, and what an operator can do about it. */
export function describeUnaccounted(document: UnaccountedDocument, state: PrintRunState): string {
  const { documentId, attempt, progress, postingId } = document
  const subject = `Attempt ${attempt} at document ${documentId}`
  const advice = adviceOn(document, state)
  if (advice === 'move-run')
    return `${subject} was refused with the print run: reassign or recall the run`
  if (advice === 'decide-reprint') return `${subject} is SPOILED: decide on its reprint`
  const remedy =
    advice === 'post'
      ? ', and it was too late to recall it: record its posting on behalf of the provider'
      : ': recall it, and settle the recall'
  if (postingId) return `${subject} is in posting ${postingId}, which is not confirmed${remedy}`
  const reported = progress ? `was reported as ${progress}` : 'has not been reported on'
  return `${subject} ${reported}${remedy}`
}
