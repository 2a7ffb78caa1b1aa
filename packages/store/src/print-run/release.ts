import {
  fulfilmentJobDocumentsMax,
  type LastNumbered,
  numberDocuments,
  sortForPrinting,
  type UnnumberedDocument,
} from '@despatch/domain/print-run/numbering'
import { releasePageDocuments } from '@despatch/domain/print-run/release-retry'
import type { PrintedOn } from '@despatch/domain/print-run/weight'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { hasUnstored } from '../print-job/unstored-documents.ts'
import { materialsOfSite } from './materials.ts'

/**
 * `gone`: another process has released or dissolved the run, or its documents were moved. `unfinished`: some documents
 * are not numbered yet, or not in the object store.
 */
type ReleaseOutcome = 'released' | 'empty' | 'gone' | 'unfinished'

/**
 * Begins the release of gathering runs: they take no more documents, and keep the materials that their sites have now.
 * The caller has the lock of the gathering pass or of the run.
 */
export async function beginRelease(tx: Tx, batchNumbers: readonly string[]): Promise<void> {
  if (batchNumbers.length === 0) return
  await sql`
    update print_run run set release_began_at = clock_timestamp(), materials = ${materialsOfSite}
    where batch_number = any (${batchNumbers}::text[]) and state = 'OPEN' and release_began_at is null`.execute(
    tx,
  )
}

/**
 * Numbers the documents of a print run that is being released, one page per transaction, and releases it. Stops after
 * `msMax` milliseconds with 'unfinished'. Any process may continue where another one stopped: the order depends only on
 * the documents, and numbers stay. A document withdrawn before its page gets no number. One withdrawn later keeps its
 * number and counts as withdrawn, as after the release.
 */
export async function releasePrintRun(
  db: Db,
  { batchNumber, failures }: { batchNumber: string; failures: number },
  { leaseSeconds, msMax }: { leaseSeconds: number; msMax: number },
): Promise<ReleaseOutcome> {
  const stopAt = performance.now() + msMax
  const printedOn = await readPrintedOn(db, batchNumber)
  const run = { batchNumber, printedOn }
  for (const page of await listPages(db, run, releasePageDocuments(failures))) {
    const isGoingOn = await transact(db, async (tx) => {
      if (!(await lockReleasing(tx, batchNumber))) return false
      await numberPage(tx, run, page)
      await renewLease(tx, batchNumber, leaseSeconds)
      return true
    })
    if (!isGoingOn) return 'gone'
    if (performance.now() > stopAt) return 'unfinished'
  }
  return transact(db, async (tx) => {
    if (!(await lockReleasing(tx, batchNumber))) return 'gone'
    return finishRelease(tx, batchNumber)
  })
}

/**
 * Releases an OPEN run in the transaction of a caller that has locked it and its print jobs. This includes a run that
 * another process is releasing: the caller's lock excludes that process and gathering.
 */
export async function releaseLockedPrintRun(tx: Tx, batchNumber: string): Promise<ReleaseOutcome> {
  await beginRelease(tx, [batchNumber])
  const run = { batchNumber, printedOn: await readPrintedOn(tx, batchNumber) }
  for (const page of await listPages(tx, run, releasePageDocuments(0))) {
    await numberPage(tx, run, page)
  }
  return finishRelease(tx, batchNumber)
}

type ReleasingRun = { batchNumber: string; printedOn: PrintedOn }

/** Reads what the run is printed on, which does not change once its release has begun. */
async function readPrintedOn(db: Db, batchNumber: string): Promise<PrintedOn> {
  return db
    .selectFrom('print_run')
    .select(['stationery', 'materials'])
    .where('batch_number', '=', batchNumber)
    .executeTakeFirstOrThrow()
}

/** Lists the documents without a number, sorted for printing and divided into pages. */
async function listPages(
  db: Db,
  { batchNumber, printedOn }: ReleasingRun,
  pageDocuments: number,
): Promise<UnnumberedDocument[][]> {
  const sorted = sortForPrinting(await listUnnumbered(db, batchNumber), printedOn)
  const pages: UnnumberedDocument[][] = []
  for (let at = 0; at < sorted.length; at += pageDocuments) {
    pages.push(sorted.slice(at, at + pageDocuments))
  }
  return pages
}

/** Documents per statement, so that it takes milliseconds however large the run is. */
const readDocumentsMax = 10_000

async function listUnnumbered(db: Db, batchNumber: string): Promise<UnnumberedDocument[]> {
  const all: UnnumberedDocument[] = []
  for (let after = ''; ; after = all.at(-1)!.documentId) {
    const { rows } = await sql<UnnumberedDocument>`
      select document.document_id as "documentId", document.sheets,
        upper(substring(job.printable_address ->> 'postcode' from '^[A-Za-z]+')) as area
      from (
        select document_id, sheets, print_job_key from print_run_document
        where batch_number = ${batchNumber} and document_id > ${after} and removed_at is null and sequence is null
        order by document_id
        limit ${readDocumentsMax}
      ) document
      join print_job job on job.key = document.print_job_key
      order by document.document_id`.execute(db)
    all.push(...rows)
    if (rows.length < readDocumentsMax) return all
  }
}

/** Locks the run until the transaction ends. Returns false if it is no longer being released. */
async function lockReleasing(tx: Tx, batchNumber: string): Promise<boolean> {
  const { rows } = await sql`
    select from print_run
    where batch_number = ${batchNumber} and state = 'OPEN' and release_began_at is not null
    for no key update`.execute(tx)
  return rows.length > 0
}

/** Numbers the documents of the page that are still in the run. The caller has locked the run. */
async function numberPage(
  tx: Tx,
  { batchNumber, printedOn }: ReleasingRun,
  page: readonly UnnumberedDocument[],
): Promise<void> {
  // waits for concurrent withdrawals, whose documents get no number
  const { rows } = await sql<{ document_id: string }>`
    select document_id from print_run_document
    where batch_number = ${batchNumber} and document_id = any (${page.map(({ documentId }) => documentId)}::text[])
      and removed_at is null and sequence is null
    order by document_id for no key update`.execute(tx)
  const held = new Set(rows.map(({ document_id }) => document_id))
  const numbered = numberDocuments(
    await findLastNumbered(tx, batchNumber),
    page.filter(({ documentId }) => held.has(documentId)),
    printedOn,
  )
  await sql`
    with numbered as (
      update print_run_document document set
        sequence = row.sequence,
        fulfilment_job_id = document.batch_number || '-' || lpad(row.fulfilment_job::text, 3, '0')
      from unnest(${numbered.map(({ documentId }) => documentId)}::text[],
        ${numbered.map(({ sequence }) => sequence)}::integer[],
        ${numbered.map(({ fulfilmentJob }) => fulfilmentJob)}::integer[]) as row (document_id, sequence, fulfilment_job)
      where document.batch_number = ${batchNumber} and document.document_id = row.document_id
      returning document.sheets, document.pages, document.bytes
    ), page as (
      select count(*) as documents, coalesce(sum(sheets), 0) as sheets, coalesce(sum(pages), 0) as pages,
        coalesce(sum(bytes), 0) as bytes
      from numbered
    )
    update print_run run set
      document_count = coalesce(run.document_count, 0) + page.documents,
      sheet_count = coalesce(run.sheet_count, 0) + page.sheets,
      page_count = coalesce(run.page_count, 0) + page.pages,
      byte_count = coalesce(run.byte_count, 0) + page.bytes
    from page where run.batch_number = ${batchNumber}`.execute(tx)
}

async function findLastNumbered(tx: Tx, batchNumber: string): Promise<LastNumbered | undefined> {
  const { rows } = await sql<LastNumbered>`
    select last.sequence, last.sheets,
      substr(last.fulfilment_job_id, length(last.batch_number) + 2)::integer as "fulfilmentJob",
      (select count(*) from print_run_document document
        where document.batch_number = last.batch_number
          and document.sequence > last.sequence - ${fulfilmentJobDocumentsMax}::integer
          and document.fulfilment_job_id = last.fulfilment_job_id) as "jobDocuments"
    from print_run_document last
    where last.batch_number = ${batchNumber} and last.sequence is not null
    order by last.sequence desc
    limit 1`.execute(tx)
  return rows[0]
}

async function renewLease(tx: Tx, batchNumber: string, leaseSeconds: number): Promise<void> {
  await sql`
    update print_run set release_lease_until = clock_timestamp() + ${leaseSeconds}::integer * interval '1 second'
    where batch_number = ${batchNumber}`.execute(tx)
}

/** Marks the run as released, or closes it if it has no documents. The caller has locked the run. */
async function finishRelease(tx: Tx, batchNumber: string): Promise<ReleaseOutcome> {
  // the order makes PostgreSQL use the index on this run instead of reading the documents of all runs
  const { rows } = await sql<{ isUnfinished: boolean; isEmpty: boolean }>`
    select
      (select document_id from print_run_document
        where batch_number = ${batchNumber} and sequence is null and removed_at is null
        order by document_id limit 1) is not null
        or ${hasUnstored(batchNumber)} as "isUnfinished",
      (select document_id from print_run_document
        where batch_number = ${batchNumber} and removed_at is null
        order by document_id limit 1) is null as "isEmpty"`.execute(tx)
  const { isUnfinished, isEmpty } = rows[0]!
  if (isUnfinished) return 'unfinished'
  const ending = isEmpty
    ? sql`state = 'CLOSED', closed_at = clock_timestamp()`
    : sql`state = 'RELEASED', released_at = clock_timestamp()`
  await sql`
    update print_run set ${ending}, release_lease_until = null, release_retry_at = null
    where batch_number = ${batchNumber}`.execute(tx)
  return isEmpty ? 'empty' : 'released'
}
