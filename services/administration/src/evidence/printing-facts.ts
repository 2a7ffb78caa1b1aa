import { userNameOf } from '@despatch/store/access/user-name-of'
import type { Db } from '@despatch/store/database'
import { withoutWords } from '@despatch/store/purge/redact'
import { type RawBuilder, sql } from 'kysely'

/** A row for an auditor: ids, states, times, and words of providers and operators. */
type Fact = Readonly<Record<string, unknown>>

/** The history of a print job's document at print providers. Each list is in order of time. */
export type PrintingFacts = {
  /** Every print run that it was in, including those that it was taken out of. */
  printRuns: Fact[]
  postings: Fact[]
  /** Files that belong to those postings: their names, not their contents. */
  postingEvidence: Fact[]
  itemEvents: Fact[]
  reprints: Fact[]
  recalls: Fact[]
  returnedLetters: Fact[]
}

/**
 * Reads the printing history of a print job. All lists are empty if it has no document. For a print job that is being
 * purged, returns only what remains afterwards.
 */
export async function readPrintingFacts(
  db: Db,
  { printJobKey, isPurged }: { printJobKey: string; isPurged: boolean },
): Promise<PrintingFacts> {
  const facts = await readAll(db, printJobKey)
  if (!isPurged) return facts
  return {
    ...facts,
    printRuns: facts.printRuns.map(withoutWords),
    itemEvents: facts.itemEvents.map(withoutWords),
    reprints: facts.reprints.map(withoutWords),
  }
}

async function readAll(db: Db, printJobKey: string): Promise<PrintingFacts> {
  const ofJob = sql`document_id = (
    select 'D' || document_number from print_job where key = ${printJobKey})`
  return {
    printRuns: await list(
      db,
      sql`
      select document.batch_number as "batchNumber", run.provider_id as "providerId", run.print_location as "printLocation",
        run.state, run.print_epoch as "printEpoch", document.document_id as "documentId",
        document.fulfilment_job_id as "fulfilmentJobId", document.sequence, document.attempt,
        encode(document.sha256, 'hex') as "documentSha256", document.bytes, document.pages, document.sheets,
        document.progress, document.outcome, document.serial_number as "serialNumber",
        document.mailmark_item_id as "mailmarkItemId", document.despatch_properties as "despatchProperties",
        document.posting_id as "postingId", document.removed_at as "removedAt", document.voided_at as "documentVoidedAt",
        run.opened_at as "openedAt", run.released_at as "releasedAt", run.claimed_at as "claimedAt",
        run.acknowledged_at as "acknowledgedAt", run.posted_at as "postedAt", run.closed_at as "closedAt",
        run.voided_at as "runVoidedAt", run.void_reason as "voidReason", run.refusal, run.moved_from as "movedFrom"
      from print_run_document document join print_run run using (batch_number)
      where document.${ofJob}
      order by run.opened_at, run.batch_number`,
    ),
    postings: await list(
      db,
      sql`
      select id as "postingId", provider_id as "providerId", carrier, handover_at as "handoverAt",
        manifest_number as "manifestNumber", document_count as "documentCount", sheet_count as "sheetCount",
        created_at as "createdAt", confirmed_at as "confirmedAt"
      from posting where id in (select posting_id from print_run_document where ${ofJob})
      order by created_at, id`,
    ),
    postingEvidence: await list(
      db,
      sql`
      select posting_id as "postingId", id as "evidenceId", file_name as "fileName", media_type as "mediaType",
        created_at as "createdAt"
      from posting_evidence where posting_id in (select posting_id from print_run_document where ${ofJob})
      order by created_at, id`,
    ),
    itemEvents: await list(
      db,
      sql`
      select event_id as "eventId", provider_id as "providerId", batch_number as "batchNumber", attempt, type, result,
        occurred_at as "occurredAt", received_at as "receivedAt", serial_number as "serialNumber",
        reason_code as "reasonCode", reason, despatch_properties as "despatchProperties"
      from print_run_event
      where (batch_number, document_id) in (select batch_number, document_id from print_run_document where ${ofJob})
      order by received_at, event_id`,
    ),
    reprints: await list(
      db,
      sql`
      select reprint.id::text as "reprintId", reprint.batch_number as "batchNumber", reprint.attempt, reprint.state,
        reprint.reason_code as "reasonCode", reprint.reason, reprint.requested_at as "requestedAt",
        consumer.user_name as "requestedBy", reprint.decided_at as "decidedAt", reprint.decided_by as "decidedBy",
        ${userNameOf(sql`reprint.decided_by`)} as "decidedByUserName", reprint.decision_reason as "decisionReason"
      from reprint join consumer on consumer.id = reprint.requested_by
      where (batch_number, document_id) in (select batch_number, document_id from print_run_document where ${ofJob})
      order by reprint.id`,
    ),
    recalls: await list(
      db,
      sql`
      select recall.id as "recallId", recall.batch_number as "batchNumber", recall.provider_id as "providerId",
        recall.state, document.state as "documentState", recall.reason, recall.requested_at as "requestedAt",
        recall.requested_by as "requestedBy", ${userNameOf(sql`recall.requested_by`)} as "requestedByUserName",
        recall.answered_at as "answeredAt", recall.answer_reason as "answerReason"
      from recall_request recall join recall_document document on document.recall_id = recall.id
      where recall.batch_number in (select batch_number from print_run_document where ${ofJob}) and document.${ofJob}
      order by recall.requested_at, recall.id`,
    ),
    returnedLetters: await list(
      db,
      sql`
      select return_id as "returnId", provider_id as "providerId", batch_number as "batchNumber",
        reason_code as "reasonCode", disposition, scanned_at as "scannedAt", received_at as "receivedAt"
      from returned_letter where print_job_key = ${printJobKey}
      order by received_at, return_id`,
    ),
  }
}

/** Leaves out null values. */
async function list(db: Db, query: RawBuilder<Fact>): Promise<Fact[]> {
  const { rows } = await query.execute(db)
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
  )
}
