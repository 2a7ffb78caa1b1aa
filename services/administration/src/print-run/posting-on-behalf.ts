import { whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import { isAbsent } from '@despatch/domain/print-run/posting-on-behalf'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { Db, Tx } from '@despatch/store/database'
import { despatchPosting } from '@despatch/store/posting/confirm'
import { coverDocuments } from '@despatch/store/posting/cover'
import { findPostingByKey, insertPostingRow } from '@despatch/store/posting/postings'
import {
  findPosting,
  listPostedPrintRuns,
  type PostedPrintRun,
  type Posting,
} from '@despatch/store/posting/read'
import { withdrawForOperator } from '@despatch/store/posting/withdraw'
import {
  findPrintRunWithProvider,
  lockPrintRunWithProvider,
  type PrintRunWithProvider,
} from '@despatch/store/print-run/details'
import { lockPrintJobs, lockPrintRun, type OfferedPrintRun } from '@despatch/store/print-run/lock'
import { isPostableOnBehalfRow } from '@despatch/store/print-run/postable'
import { sql } from 'kysely'
import {
  listNotPostableOnBehalf,
  listUnknownDocuments,
  type NotPostableOnBehalf,
} from './not-postable.ts'

export type PostingChoice = {
  batchNumber: string
  /** Absent: every document of the run that is missing. */
  documentIds?: readonly string[] | undefined
  /** Chosen by the caller; a key identifies one posting for ever. */
  postingKey?: string | undefined
}

type PostingOnBehalf = PostingChoice & {
  postingKey: string
  requestHash: Buffer
  carrier: string
  handoverAt: Date
  manifestNumber?: string | undefined
  /** The operator who records it, and the reason for the timelines. */
  by: { actor: string; reason: string }
  /** Records nothing if there are more documents. */
  expectedCount?: number | undefined
}

export type OnBehalfOutcome =
  | { kind: 'posted'; providerId: string; posting: Posting; isRepeat: boolean }
  | { kind: 'key-reused' }
  | { kind: 'too-early'; claimedAt: Date }
  | { kind: 'too-many'; documentCount: number }
  | PostingRefusal

type PostingCount = { kind: 'counted'; documentCount: number } | PostingRefusal

export type PostingRefusal =
  | { kind: 'absent' }
  | { kind: 'not-possible'; state: PrintRunState; whyNot: string }
  | { kind: 'unknown-documents'; documentIds: string[] }
  | { kind: 'nothing-missing' }
  | {
      kind: 'not-postable'
      providerId: string
      lastHeardAt: Date | null
      documents: NotPostableOnBehalf[]
      documentCount: number
    }

/**
 * Counts the documents that a posting on behalf of the provider would include, or those of the posting of this run that
 * already has the key. Locks nothing, so the count may change at once.
 */
export async function countPostable(db: Db, choice: PostingChoice): Promise<PostingCount> {
  const run = await findPrintRunWithProvider(db, choice.batchNumber)
  if (!run) return { kind: 'absent' }
  const recorded = await findRecorded(db, run, choice)
  if (recorded) return { kind: 'counted', documentCount: recorded.documentCount }
  return refusalOfState(run) ?? countJudged(db, run, choice)
}

/**
 * Saves and confirms a posting of one run on behalf of the provider. Either all of the documents become DESPATCHED or
 * none. They are removed from a posting that the provider has saved and not confirmed. A repeat with the same key and
 * request returns the same posting. After a refusal, the caller must roll back.
 */
export async function savePostingOnBehalf(
  tx: Tx,
  asked: PostingOnBehalf,
): Promise<OnBehalfOutcome> {
  const { batchNumber, expectedCount } = asked
  const held = await lockPrintRunWithProvider(tx, batchNumber)
  if (!held) return { kind: 'absent' }
  const { providerId } = held
  const postingKey = storedKey(asked.postingKey)
  const earlier = await findPostingByKey(tx, { providerId, postingKey })
  if (earlier) {
    if (!earlier.requestHash.equals(asked.requestHash)) return { kind: 'key-reused' }
    const posting = (await findPosting(tx, { providerId, postingId: earlier.postingId }))!
    return { kind: 'posted', providerId, posting, isRepeat: true }
  }
  const refused = refusalOfState(held)
  if (refused) return refused
  const run = (await lockPrintRun(tx, { providerId, batchNumber }))!
  await lockPrintJobs(tx, batchNumber)
  const counted = await countJudged(tx, held, asked)
  if (counted.kind !== 'counted') return counted
  if (asked.handoverAt < run.claimedAt!) return { kind: 'too-early', claimedAt: run.claimedAt! }
  const { documentCount } = counted
  if (expectedCount !== undefined && documentCount > expectedCount) {
    return { kind: 'too-many', documentCount }
  }
  return saveConfirmed(tx, { providerId, run }, asked)
}

/** The prefix separates the keys of operators from those of the provider's own postings. */
function storedKey(postingKey: string): string {
  return `in-stead:${postingKey.toLowerCase()}`
}

/**
 * Finds the posting of this run with this key. Whether the other values are the same too is checked when it is
 * repeated.
 */
async function findRecorded(
  db: Db,
  { providerId, batchNumber }: PrintRunWithProvider,
  { postingKey }: PostingChoice,
): Promise<PostedPrintRun | undefined> {
  if (postingKey === undefined) return
  const found = await findPostingByKey(db, { providerId, postingKey: storedKey(postingKey) })
  if (!found) return
  const runs = await listPostedPrintRuns(db, found.postingId)
  return runs.find((run) => run.batchNumber === batchNumber)
}

function refusalOfState({ state }: PrintRunWithProvider): PostingRefusal | undefined {
  const whyNot = whyNotPossible(printRunActions.post, { state })
  return whyNot ? { kind: 'not-possible', state, whyNot } : undefined
}

async function countJudged(
  db: Db,
  { providerId }: PrintRunWithProvider,
  { batchNumber, documentIds }: PostingChoice,
): Promise<PostingCount> {
  const unknown = await listUnknownDocuments(db, { batchNumber, documentIds })
  if (unknown.length > 0) return { kind: 'unknown-documents', documentIds: unknown }
  const { lastHeardAt, isProviderAbsent } = await findPresence(db, { providerId, batchNumber })
  const judged = { batchNumber, documentIds, isProviderAbsent }
  const refused = await listNotPostableOnBehalf(db, judged)
  if (refused.documentCount > 0) {
    return { kind: 'not-postable', providerId, lastHeardAt, ...refused }
  }
  const documentCount = await countMissing(db, { batchNumber, documentIds })
  return documentCount === 0 ? { kind: 'nothing-missing' } : { kind: 'counted', documentCount }
}

async function countMissing(db: Db, { batchNumber, documentIds }: PostingChoice): Promise<number> {
  const { rows } = await sql<{ documentCount: number }>`
    select count(*)::integer as "documentCount" from print_run_document document
    where batch_number = ${batchNumber} and ${isPostableOnBehalfRow}
      ${documentIds === undefined ? sql`` : sql`and document_id = any (${documentIds}::text[])`}`.execute(
    db,
  )
  return rows[0]!.documentCount
}

/**
 * Finds when the provider of a claimed run was last heard from, and whether that is too long ago. Polling for work
 * counts, and so do reports on the run.
 */
async function findPresence(
  db: Db,
  { providerId, batchNumber }: { providerId: string; batchNumber: string },
): Promise<{ lastHeardAt: Date | null; isProviderAbsent: boolean }> {
  const { rows } = await sql<{ lastHeardAt: Date | null; awaySecondsMax: number | null; at: Date }>`
    select away_seconds_max as "awaySecondsMax", clock_timestamp() as at, greatest(
        last_seen_at,
        (select greatest(claimed_at, acknowledged_at) from print_run where batch_number = ${batchNumber}),
        (select max(received_at) from print_run_event where batch_number = ${batchNumber}),
        (select max(created_at) from posting join posting_run on posting_run.posting_id = posting.id
          where posting_run.batch_number = ${batchNumber} and posting.confirmed_at is null)
      ) as "lastHeardAt"
    from provider where id = ${providerId}`.execute(db)
  const { lastHeardAt, awaySecondsMax, at } = rows[0]!
  return { lastHeardAt, isProviderAbsent: isAbsent({ lastHeardAt, awaySecondsMax }, at) }
}

async function saveConfirmed(
  tx: Tx,
  { providerId, run }: { providerId: string; run: OfferedPrintRun },
  asked: PostingOnBehalf,
): Promise<OnBehalfOutcome> {
  const { batchNumber, documentIds, by } = asked
  await withdrawForOperator(tx, { batchNumber, documentIds })
  const postingKey = storedKey(asked.postingKey)
  const facts = { ...asked, providerId, postingKey, despatchProperties: [] }
  const postingId = await insertPostingRow(tx, facts)
  // another request with the same key was saved in the meantime, for another run
  if (!postingId) return { kind: 'key-reused' }
  await coverDocuments(tx, { postingId, run, documentIds, isOnBehalf: true })
  const ref = { providerId, postingId }
  await despatchPosting(tx, ref, { runs: [run], by })
  return { kind: 'posted', providerId, posting: (await findPosting(tx, ref))!, isRepeat: false }
}
