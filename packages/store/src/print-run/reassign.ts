import { whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import type { Capabilities } from '@despatch/domain/print-run/capabilities'
import { canPrint } from '@despatch/domain/print-run/routing'
import type { Materials } from '@despatch/domain/print-run/weight'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { notePrintJobs } from '../print-job/notes.ts'
import {
  findPrintRunWithProvider,
  isRefusedAsWhole,
  lockPrintRunWithProvider,
  type PrintRunWithProvider,
} from './details.ts'
import { type LiveDocument, pageLiveDocuments } from './live-documents.ts'
import { lockPrintJobs } from './lock.ts'
import { endOpenRecalls, listOpenRecalls } from './open-recalls.ts'
import { releaseLockedPrintRun } from './release.ts'

export type PrintRunReassignment = {
  batchNumber: string
  providerId: string
  printLocation: string
  /** Appears in the audit log and in timelines. No personal information. */
  reason: string
  /** The operator has the provider's word that nothing of a claimed run was or will be printed. */
  nothingPrinted: boolean
  /** The count that was agreed. If there are more documents by now, nothing is moved. */
  expectedCount?: number | undefined
  actor: string
}

export type ReassignedPrintRun = {
  batchNumber: string
  movedFrom: string
  providerId: string
  printLocation: string
  printEpoch: number
  documentCount: number
}

export type MoveOutcome =
  | { kind: 'moved'; run: ReassignedPrintRun }
  | { kind: 'site-absent' }
  | { kind: 'site-disabled' }
  | { kind: 'site-unable'; run: PrintRunWithProvider; sheetsMax: number }
  | { kind: 'not-certified' }
  | { kind: 'more'; documentCount: number }
  /** A document that is not in the object store yet was gathered meanwhile. */
  | { kind: 'unfinished' }
  | Unreassignable

type ReassignCount = { kind: 'counted'; documentCount: number } | Unreassignable

/** No site can take documents of the run. */
export type Unreassignable =
  | { kind: 'absent' }
  | { kind: 'not-movable'; run: PrintRunWithProvider; whyNot: string }
  | { kind: 'empty' }
  /** The provider has not yet answered which of the remaining documents it can stop. */
  | { kind: 'asked-back'; recallIds: string[] }

/** Counts the documents that a reassignment would move. Locks nothing, so the count may change at once. */
export async function countReassignable(db: Db, batchNumber: string): Promise<ReassignCount> {
  const run = await findPrintRunWithProvider(db, batchNumber)
  if (!run) return { kind: 'absent' }
  const whyNot = whyNotMovable(run)
  if (whyNot) return { kind: 'not-movable', run, whyNot }
  const { documents } = await measureReassignable(db, run)
  if (documents === 0) return nothingToReassign(db, run)
  return { kind: 'counted', documentCount: documents }
}

/**
 * Moves the documents of a run into a new run, at another site or at the same one. They keep their ids, sequences and
 * fulfilment job numbers. A run that is still gathering is released first. A claimed run is voided; that requires the
 * provider's refusal or an operator's word that nothing of it is on paper. The new run then has a higher print epoch,
 * and its documents a higher attempt. A late report for the old run therefore does not affect them. On any outcome
 * other than 'moved', the caller must roll back.
 */
export async function reassignDocuments(tx: Tx, move: PrintRunReassignment): Promise<MoveOutcome> {
  const found = await lockPrintRunWithProvider(tx, move.batchNumber)
  if (!found) return { kind: 'absent' }
  // a release numbers the documents, so it comes after the lock on the print jobs
  if (!whyNotMovable(found)) await lockPrintJobs(tx, found.batchNumber)
  const run = await releaseOpenRun(tx, found)
  if (run === 'unfinished') return { kind: 'unfinished' }
  const whyNot = whyNotMovable(run, { isEmpty: run.state === 'OPEN' })
  if (whyNot) return { kind: 'not-movable', run, whyNot }
  if (run.claimedAt && !isRefusedAsWhole(run) && !move.nothingPrinted) {
    return { kind: 'not-certified' }
  }
  const site = await findSite(tx, move)
  if (!site) return { kind: 'site-absent' }
  if (!site.enabled) return { kind: 'site-disabled' }
  const { documents, sheetsMax } = await measureReassignable(tx, run)
  if (documents === 0) return nothingToReassign(tx, run)
  if (move.expectedCount !== undefined && documents > move.expectedCount) {
    return { kind: 'more', documentCount: documents }
  }
  if (!canPrint(site.capabilities, { ...run, sheets: sheetsMax })) {
    return { kind: 'site-unable', run, sheetsMax }
  }
  const { materials } = site.capabilities
  return { kind: 'moved', run: await reassignLocked(tx, run, { ...move, materials }) }
}

/** A move to a site with these materials. */
type Move = PrintRunReassignment & { materials: Materials | undefined }

async function reassignLocked(
  tx: Tx,
  run: PrintRunWithProvider,
  move: Move,
): Promise<ReassignedPrintRun> {
  if (run.claimedAt) {
    const { actor } = move
    await endOpenRecalls(tx, run, { actor, answerReason: 'The print run was moved' })
  }
  const batchNumber = await insertRun(tx, run, move)
  let documentCount = 0
  for await (const page of pageLiveDocuments(tx, run.batchNumber)) {
    await moveDocuments(tx, run, batchNumber, page)
    const keys = page.map(({ printJobKey }) => printJobKey)
    await updatePrintJobs(tx, { run, batchNumber, keys }, move)
    documentCount += page.length
  }
  await countDocuments(tx, batchNumber)
  await endRun(tx, run, move)
  return {
    batchNumber,
    movedFrom: run.batchNumber,
    providerId: move.providerId,
    printLocation: move.printLocation,
    printEpoch: epochAfter(run),
    documentCount,
  }
}

async function nothingToReassign(
  db: Db,
  { batchNumber }: PrintRunWithProvider,
): Promise<Unreassignable> {
  const recallIds = await listOpenRecalls(db, batchNumber)
  return recallIds.length > 0 ? { kind: 'asked-back', recallIds } : { kind: 'empty' }
}

async function releaseOpenRun(
  tx: Tx,
  run: PrintRunWithProvider,
): Promise<PrintRunWithProvider | 'unfinished'> {
  if (run.state !== 'OPEN') return run
  const outcome = await releaseLockedPrintRun(tx, run.batchNumber)
  if (outcome === 'unfinished') return outcome
  return outcome === 'released' ? { ...run, state: 'RELEASED' } : run
}

function whyNotMovable(
  run: PrintRunWithProvider,
  others: { isEmpty?: boolean } = {},
): string | null {
  const facts = { state: run.state, isRefusedAsWhole: isRefusedAsWhole(run), ...others }
  return whyNotPossible(printRunActions.move, facts)
}

function epochAfter({ claimedAt, printEpoch }: PrintRunWithProvider): number {
  return claimedAt ? printEpoch + 1 : printEpoch
}

async function findSite(
  db: Db,
  { providerId, printLocation }: PrintRunReassignment,
): Promise<{ enabled: boolean; capabilities: Capabilities } | undefined> {
  return db
    .selectFrom('print_site')
    .select(['enabled', 'capabilities'])
    .where('provider_id', '=', providerId)
    .where('print_location', '=', printLocation)
    .executeTakeFirst()
}

/** Counts the documents that can be moved, and the sheets of the thickest. Documents in an open recall cannot. */
async function measureReassignable(db: Db, { batchNumber }: PrintRunWithProvider) {
  const { rows } = await sql<{ documents: number; sheetsMax: number }>`
    select count(*)::integer as documents, coalesce(max(sheets), 0) as "sheetsMax"
    from print_run_document document
    where batch_number = ${batchNumber} and removed_at is null and voided_at is null and outcome is null
      and not exists (
        select from recall_document join recall_request on recall_request.id = recall_document.recall_id
        where recall_request.batch_number = document.batch_number and recall_request.state = 'OPEN'
          and recall_document.document_id = document.document_id)`.execute(db)
  return rows[0]!
}

async function insertRun(tx: Tx, run: PrintRunWithProvider, to: Move): Promise<string> {
  const materials = to.materials ? JSON.stringify(to.materials) : null
  const { rows } = await sql<{ batch_number: string }>`
    insert into print_run (batch_number, provider_id, print_location, despatch_method, stationery, materials, plex, colour,
      format, state, released_at, cut_off_at, expected_despatch_on, print_epoch, moved_from)
    select 'R' || nextval('print_run_number'), ${to.providerId}, ${to.printLocation}, despatch_method, stationery,
      ${materials}::jsonb, plex, colour, format, 'RELEASED', now(), cut_off_at, expected_despatch_on, ${epochAfter(run)}, batch_number
    from print_run where batch_number = ${run.batchNumber}
    returning batch_number`.execute(tx)
  return rows[0]!.batch_number
}

/**
 * Moves the documents to the new run. The old rows are withdrawn or voided and no longer live, so the same documents
 * can be in another run.
 */
async function moveDocuments(
  tx: Tx,
  { batchNumber: from, claimedAt }: PrintRunWithProvider,
  batchNumber: string,
  documents: readonly LiveDocument[],
): Promise<void> {
  const ids = documents.map(({ documentId }) => documentId)
  const ending = claimedAt ? sql`voided_at = now()` : sql`removed_at = now()`
  await sql`
    update print_run_document set ${ending}
    where batch_number = ${from} and document_id = any (${ids}::text[])`.execute(tx)
  const attempt = claimedAt ? sql`attempt + 1` : sql`attempt`
  await sql`
    insert into print_run_document (batch_number, document_id, print_job_key, fulfilment_job_id, sequence, first_attempt,
      attempt, sha256, bytes, pages, sheets)
    select ${batchNumber}, document_id, print_job_key, ${batchNumber} || substr(fulfilment_job_id, length(batch_number) + 1),
      sequence, ${attempt}, ${attempt}, sha256, bytes, pages, sheets
    from print_run_document
    where batch_number = ${from} and document_id = any (${ids}::text[])`.execute(tx)
}

async function countDocuments(tx: Tx, batchNumber: string): Promise<void> {
  await sql`
    update print_run run set document_count = total.documents, sheet_count = total.sheets, page_count = total.pages,
      byte_count = total.bytes
    from (
      select count(*) as documents, sum(sheets) as sheets, sum(pages) as pages, sum(bytes) as bytes
      from print_run_document where batch_number = ${batchNumber}
    ) total
    where run.batch_number = ${batchNumber}`.execute(tx)
}

/** Voids a claimed run. An unclaimed run has lost all its documents and is closed. */
async function endRun(
  tx: Tx,
  { batchNumber, claimedAt }: PrintRunWithProvider,
  { reason, actor }: PrintRunReassignment,
): Promise<void> {
  const ending = claimedAt
    ? sql`state = 'VOIDED', voided_at = now(), void_reason = ${reason}, lease_until = null`
    : sql`state = 'CLOSED', closed_at = now(), closed_by = ${actor}`
  await sql`update print_run set ${ending} where batch_number = ${batchNumber}`.execute(tx)
}

/**
 * Updates PENDING print jobs, which name their current run, and adds a note to each timeline. A print job in PRODUCTION
 * names the run that was claimed last.
 */
async function updatePrintJobs(
  tx: Tx,
  {
    run,
    batchNumber,
    keys,
  }: { run: PrintRunWithProvider; batchNumber: string; keys: readonly string[] },
  { reason, actor }: PrintRunReassignment,
): Promise<void> {
  await sql`
    update print_job set batch_number = ${batchNumber}
    where key = any (${keys}::uuid[]) and status = 'PENDING'`.execute(tx)
  const noteReason = `from ${run.batchNumber} to ${batchNumber}: ${reason}`
  const notes = keys.map((key) => ({ key, note: 'move-run' as const, reason: noteReason }))
  await notePrintJobs(tx, notes, { actor })
}
