import type { DespatchProperty } from '@despatch/domain/print-run/despatch-properties'
import {
  despatchProperties,
  mergeDespatchProperties,
} from '@despatch/domain/print-run/despatch-properties'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { type MoveOptions, movePrintJobs } from '../print-job/print-jobs.ts'
import { lockPrintRun, type OfferedPrintRun } from '../print-run/lock.ts'
import { updateStateOfWork } from '../print-run/reconciliation-counts.ts'
import { findPosting, listPostedPrintRuns, type Posting, type PostingRef } from './read.ts'
import { withdrawUnpostable } from './withdraw.ts'

/** Documents per round trip, which keeps memory use constant however large the posting is. */
const pageDocumentsMax = 5_000

/**
 * Confirms a posting: the print jobs that it covers become DESPATCHED. Documents that were spoiled, failed or recalled
 * since it was saved are removed from it first. Confirming again changes nothing and returns the same answer. Returns
 * undefined if the provider has no such posting.
 */
export async function saveConfirmation(db: Db, ref: PostingRef): Promise<Posting | undefined> {
  return transact(db, async (tx) => {
    if (!(await findPosting(tx, ref))) return
    const runs = await lockRuns(tx, ref)
    const { confirmedAt } = await readTerms(tx, ref.postingId)
    if (!confirmedAt) {
      await withdrawUnpostable(tx, ref.postingId)
      await despatchPosting(tx, ref, { runs, by: { actor: `provider:${ref.providerId}` } })
    }
    return findPosting(tx, ref)
  })
}

/** Who confirms a posting, and the reason for the timelines. */
type Confirmer = Pick<MoveOptions, 'actor' | 'reason'>

/**
 * Confirms a posting that is not confirmed yet and despatches every document in it. The caller has locked its runs and
 * removed the documents that cannot be posted.
 */
export async function despatchPosting(
  tx: Tx,
  ref: PostingRef,
  { runs, by }: { runs: readonly OfferedPrintRun[]; by: Confirmer },
): Promise<void> {
  const terms = await readTerms(tx, ref.postingId)
  let confirmedCount = 0
  for (const run of runs) confirmedCount += await despatchDocuments(tx, { run, terms, by, ...ref })
  await updateConfirmed(tx, ref.postingId, confirmedCount)
  for (const { batchNumber } of runs) await updateStateOfWork(tx, batchNumber)
}

async function lockRuns(tx: Tx, { providerId, postingId }: PostingRef): Promise<OfferedPrintRun[]> {
  const runs: OfferedPrintRun[] = []
  for (const { batchNumber } of await listPostedPrintRuns(tx, postingId)) {
    const run = await lockPrintRun(tx, { providerId, batchNumber })
    if (!run) throw new Error(`Posting ${postingId} covers a print run of another provider`)
    runs.push(run)
  }
  return runs
}

type Terms = Awaited<ReturnType<typeof readTerms>>

function readTerms(tx: Tx, postingId: string) {
  return tx
    .selectFrom('posting')
    .select([
      'carrier',
      'handover_at as handoverAt',
      'manifest_number as manifestNumber',
      'despatch_properties as despatchProperties',
      'confirmed_at as confirmedAt',
    ])
    .where('id', '=', postingId)
    .executeTakeFirstOrThrow()
}

type PostedDocument = {
  printJobKey: string
  documentId: string
  sheets: number
  serialNumber: string | null
  despatchProperties: DespatchProperty[] | null
}

type Confirmation = PostingRef & { run: OfferedPrintRun; terms: Terms; by: Confirmer }

async function despatchDocuments(tx: Tx, confirmation: Confirmation): Promise<number> {
  const { postingId, run, by } = confirmation
  const propertiesOf = propertiesOfRun(confirmation)
  let moved = 0
  let after = ''
  for (;;) {
    const page = await listPostedDocuments(tx, { postingId, batchNumber: run.batchNumber, after })
    const moves = page.map((document) => ({
      key: document.printJobKey,
      fulfilment: {
        ...(document.serialNumber !== null && { serialNumber: document.serialNumber }),
        despatchProperties: propertiesOf(document),
      },
    }))
    const keys = await movePrintJobs(tx, moves, 'despatch', by)
    moved += keys.length
    const last = page.at(-1)
    if (!last || page.length < pageDocumentsMax) return moved
    after = last.documentId
  }
}

async function listPostedDocuments(
  tx: Tx,
  { postingId, batchNumber, after }: { postingId: string; batchNumber: string; after: string },
): Promise<PostedDocument[]> {
  const { rows } = await sql<PostedDocument>`
    select print_job_key as "printJobKey", document_id as "documentId", sheets, serial_number as "serialNumber",
      despatch_properties as "despatchProperties"
    from print_run_document
    where batch_number = ${batchNumber} and document_id > ${after} and posting_id is not distinct from ${postingId}::uuid
    order by document_id
    limit ${pageDocumentsMax}`.execute(tx)
  return rows
}

/**
 * The documents of a run differ only in their sheets and their own details. The rest is computed once for each number
 * of sheets, because formatting London times for every document takes longer than saving it.
 */
function propertiesOfRun({ run, terms }: Pick<Confirmation, 'run' | 'terms'>) {
  const bySheets = new Map<number, DespatchProperty[]>()
  return ({ sheets, despatchProperties: ofDocument }: PostedDocument): DespatchProperty[] => {
    const ofSheets = bySheets.get(sheets) ?? propertiesOfSheets({ run, terms, sheets })
    bySheets.set(sheets, ofSheets)
    return ofDocument ? mergeDespatchProperties(ofSheets, ofDocument) : ofSheets
  }
}

function propertiesOfSheets({
  run,
  terms,
  sheets,
}: {
  run: OfferedPrintRun
  terms: Terms
  sheets: number
}) {
  return despatchProperties({
    despatchMethod: run.despatchMethod,
    sheets,
    stationery: run.stationery,
    materials: run.materials,
    producedAt: run.claimedAt!,
    carrier: terms.carrier,
    handoverAt: terms.handoverAt,
    manifestNumber: terms.manifestNumber ?? undefined,
    ofPosting: terms.despatchProperties,
    ofDocument: [],
  })
}

async function updateConfirmed(tx: Tx, postingId: string, confirmedCount: number): Promise<void> {
  await sql`
    update print_run_document set outcome = 'DESPATCHED' where posting_id = ${postingId}`.execute(
    tx,
  )
  await sql`
    update posting set confirmed_at = now(), confirmed_count = ${confirmedCount}
    where id = ${postingId}`.execute(tx)
}
