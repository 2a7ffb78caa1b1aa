import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { MailFormat } from '@despatch/domain/print-run/mail-format'
import {
  missingCount,
  type PrintRunState,
  type ReconciliationCounts,
} from '@despatch/domain/print-run/state'
import { type RawBuilder, sql } from 'kysely'
import { userNameOf } from '../access/user-name-of.ts'
import type { Db, Tx } from '../database.ts'
import type { Plex } from '../schema-fulfilment.ts'
import { type LockedPrintRun, lockedColumns } from './lock.ts'
import { readReconciliationCounts } from './reconciliation-counts.ts'

/** A print run of any provider, as operators see it. */
type PrintRunSummary = {
  batchNumber: string
  state: PrintRunState
  providerId: string
  printLocation: string
  despatchMethod: PrintRunDespatchMethod
  format: MailFormat
  stationery: string
  plex: Plex
  colour: boolean
  printEpoch: number
  /** Before the claim, counts the current contents. */
  documentCount: number
  sheetCount: number
  pageCount: number
  byteCount: number
  waitingReprintCount: number
  openedAt: Date
  cutOffAt: Date | null
  expectedDespatchDate: string | null
  releaseAskedAt: Date | null
  /** When gathering ended and the numbering of its documents began. */
  releaseBeganAt: Date | null
  /** Failed attempts to release it; null if none. */
  releaseFailureCount: number | null
  /** Class or code of the last fault. */
  releaseFault: string | null
  releaseTriedAt: Date | null
  releasedAt: Date | null
  claimedAt: Date | null
  leaseUntil: Date | null
  acknowledgedAt: Date | null
  postedAt: Date | null
  closedAt: Date | null
  voidedAt: Date | null
  movedFrom: string | null
  movedTo: string | null
}

type Inside = {
  releaseAskedBy: string | null
  releaseAskedByUserName: string | null
  refusal: string | null
  voidReason: string | null
  closedBy: string | null
  closedByUserName: string | null
  manifestVersion: number | null
  manifestDigest: string | null
}

type ReconciliationWithMissing = ReconciliationCounts & { moved: number; missing: number }
/** `account` is present once the run has been claimed. */
export type PrintRunDetails = PrintRunSummary & Inside & { account?: ReconciliationWithMissing }

type PrintRunPage = {
  state?: PrintRunState | undefined
  providerId?: string | undefined
  /** The last batch number of the previous page. */
  before?: string | undefined
  runsMax: number
}

/** Lists the runs of all providers, newest first. */
export async function listPrintRunPage(db: Db, page: PrintRunPage): Promise<PrintRunSummary[]> {
  const { state, providerId, before, runsMax } = page
  return selectRuns<PrintRunSummary>(
    db,
    sql`
      where true
        ${state === undefined ? sql`` : sql`and state = ${state}`}
        ${providerId === undefined ? sql`` : sql`and provider_id = ${providerId}`}
        ${before === undefined ? sql`` : isBefore(before)}
      order by opened_at desc, batch_number desc
      limit ${runsMax}`,
  )
}

export async function findPrintRunDetails(
  db: Db,
  batchNumber: string,
): Promise<PrintRunDetails | undefined> {
  const [run] = await selectRuns<PrintRunSummary & Inside>(
    db,
    sql`where batch_number = ${batchNumber}`,
  )
  if (!run?.claimedAt) return run
  const account = await readReconciliationCounts(db, batchNumber)
  const moved = await countReassigned(db, batchNumber)
  return { ...run, account: { ...account, moved, missing: missingCount(account) - moved } }
}

export type PrintRunWithProvider = LockedPrintRun & {
  providerId: string
  releaseAskedAt: Date | null
}

/**
 * Reads a run of any provider and locks it until the transaction ends. Code that changes its documents takes this lock
 * first.
 */
export async function lockPrintRunWithProvider(
  tx: Tx,
  batchNumber: string,
): Promise<PrintRunWithProvider | undefined> {
  return selectWithProvider(tx, batchNumber).forNoKeyUpdate().executeTakeFirst()
}

/** As `lockPrintRunWithProvider`, without the lock: the run may change at once. */
export async function findPrintRunWithProvider(
  db: Db,
  batchNumber: string,
): Promise<PrintRunWithProvider | undefined> {
  return selectWithProvider(db, batchNumber).executeTakeFirst()
}

function selectWithProvider(db: Db, batchNumber: string) {
  return db
    .selectFrom('print_run')
    .select([...lockedColumns, 'provider_id as providerId', 'release_asked_at as releaseAskedAt'])
    .where('batch_number', '=', batchNumber)
}

/**
 * Whether the provider refused the run as a whole, for a reason that is not in its documents. By the provider's own
 * word, nothing of it is or will be printed.
 */
export function isRefusedAsWhole({ state, refusal }: PrintRunWithProvider): boolean {
  return state === 'REFUSED' && refusal !== null
}

/** Requests the release of an OPEN run; the next gathering pass releases it. */
export async function requestRelease(
  tx: Tx,
  batchNumber: string,
  requestedBy: string,
): Promise<void> {
  await tx
    .updateTable('print_run')
    .set({ release_asked_at: sql<Date>`now()`, release_asked_by: requestedBy })
    .where('batch_number', '=', batchNumber)
    .execute()
}

function isBefore(batchNumber: string): RawBuilder<unknown> {
  return sql`and (opened_at, batch_number) < (
    select opened_at, batch_number from print_run where batch_number = ${batchNumber})`
}

// The page is limited before documents are counted, and only unclaimed runs are counted document by document.
async function selectRuns<Row>(db: Db, page: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select run.batch_number as "batchNumber", run.state, run.provider_id as "providerId",
      run.print_location as "printLocation", run.despatch_method as "despatchMethod", run.format, run.stationery,
      run.plex, run.colour, run.print_epoch as "printEpoch",
      coalesce(inside.documents, run.document_count, 0) as "documentCount",
      coalesce(inside.sheets, run.sheet_count, 0) as "sheetCount",
      coalesce(inside.pages, run.page_count, 0) as "pageCount",
      coalesce(inside.bytes, run.byte_count, 0) as "byteCount",
      (select count(*)::integer from reprint
        where reprint.batch_number = run.batch_number and reprint.state = 'WAITING') as "waitingReprintCount",
      run.opened_at as "openedAt", case when run.state = 'OPEN' then run.cut_off_at end as "cutOffAt",
      run.expected_despatch_on as "expectedDespatchDate", run.release_asked_at as "releaseAskedAt",
      run.release_asked_by as "releaseAskedBy", ${userNameOf(sql`run.release_asked_by`)} as "releaseAskedByUserName",
      run.release_began_at as "releaseBeganAt", nullif(run.release_failures, 0) as "releaseFailureCount",
      run.release_fault as "releaseFault", run.release_tried_at as "releaseTriedAt",
      run.released_at as "releasedAt", run.claimed_at as "claimedAt",
      run.lease_until as "leaseUntil", run.acknowledged_at as "acknowledgedAt", run.posted_at as "postedAt",
      run.closed_at as "closedAt", run.closed_by as "closedBy",
      ${userNameOf(sql`run.closed_by`)} as "closedByUserName", run.voided_at as "voidedAt",
      run.void_reason as "voidReason", run.refusal, run.manifest_version as "manifestVersion",
      encode(run.manifest_digest, 'hex') as "manifestDigest", run.moved_from as "movedFrom",
      (select moved.batch_number from print_run moved
        where moved.moved_from = run.batch_number order by moved.opened_at limit 1) as "movedTo"
    from (select * from print_run ${page}) run
    left join lateral (
      select count(*)::integer as documents, coalesce(sum(sheets), 0)::integer as sheets,
        coalesce(sum(pages), 0)::integer as pages, coalesce(sum(bytes), 0)::bigint as bytes
      from print_run_document document
      where document.batch_number = run.batch_number and removed_at is null
    ) inside on run.claimed_at is null
    order by run.opened_at desc, run.batch_number desc`.execute(db)
  return rows
}

async function countReassigned(db: Db, batchNumber: string): Promise<number> {
  const { rows } = await sql<{ moved: number }>`
    select count(*)::integer as moved from print_run_document
    where batch_number = ${batchNumber} and voided_at is not null`.execute(db)
  return rows[0]!.moved
}
