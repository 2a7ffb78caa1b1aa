import { randomUUID } from 'node:crypto'
import type { DespatchProperty } from '@despatch/domain/print-run/despatch-properties'
import {
  type CoveredCount,
  differingCount,
  type PostingCount,
  type WeighedCount,
  weighCounts,
} from '@despatch/domain/print-run/posting-counts'
import { isInProduction } from '@despatch/domain/print-run/state'
import { transact } from '@despatch/postgres/transact'
import type { Db, Tx } from '../database.ts'
import { lockPrintRun, type OfferedPrintRun } from '../print-run/lock.ts'
import { updateStateOfWork } from '../print-run/reconciliation-counts.ts'
import { coverDocuments, listNotCovered, type NotPostable, type PostingOfRun } from './cover.ts'
import { type DetailsRefusal, type PostedDetail, writeDetails } from './details.ts'
import { findPosting, type Posting } from './read.ts'

export type NewPosting = {
  providerId: string
  /** Chosen by the provider; a key identifies one posting for ever. */
  postingKey: string
  requestHash: Buffer
  printRuns: readonly PostingOfRun[]
  carrier: string
  handoverAt: Date
  manifestNumber?: string | undefined
  /** The carrier's counts. Absent: the carrier did not report any. */
  counts?: readonly PostingCount[] | undefined
  despatchProperties: readonly DespatchProperty[]
  /** Details of some of the documents. */
  details: readonly PostedDetail[]
}

export type PostingRefusal =
  | { kind: 'absent'; batchNumber: string }
  | { kind: 'key-reused' }
  | { kind: 'not-in-production'; batchNumber: string; isAcknowledged: boolean }
  | { kind: 'nothing-to-post'; batchNumber: string }
  | { kind: 'not-postable'; documents: NotPostable[]; documentCount: number }
  | { kind: 'count-differs'; count: PostingCount; covered: number }
  | DetailsRefusal

export type PostingOutcome = { kind: 'posted'; posting: Posting } | PostingRefusal

/** Carries a refusal out of the transaction, which is then rolled back. */
class Refused extends Error {
  readonly refusal: PostingRefusal

  constructor(refusal: PostingRefusal) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

/**
 * Saves a posting and reserves its documents, so that no other posting can cover them. If any part of it cannot be
 * saved, nothing is saved. A repeat with the same key and request returns the same posting. Nothing is despatched
 * before the posting is confirmed.
 */
export async function insertPosting(db: Db, posting: NewPosting): Promise<PostingOutcome> {
  try {
    return await transact(db, async (tx) => {
      const runs = await lockRuns(tx, posting)
      const earlier = await findByKey(tx, posting)
      if (earlier) return { kind: 'posted', posting: earlier }

      checkInProduction(runs)
      const postingId = await insertPostingRow(tx, posting)
      // another request with the same key was saved in the meantime; it did not wait for our runs, so it is for other
      // runs
      if (!postingId) throw new Refused({ kind: 'key-reused' })
      await coverRuns(tx, posting, { postingId, runs })
      return { kind: 'posted', posting: (await findPosting(tx, { ...posting, postingId }))! }
    })
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    throw error
  }
}

/** Locks the runs in the order of their batch numbers, as all code does that locks several. */
async function lockRuns(tx: Tx, { providerId, printRuns }: NewPosting): Promise<OfferedPrintRun[]> {
  const locked: OfferedPrintRun[] = []
  for (const batchNumber of printRuns.map(({ batchNumber }) => batchNumber).toSorted()) {
    const run = await lockPrintRun(tx, { providerId, batchNumber })
    if (!run) throw new Refused({ kind: 'absent', batchNumber })
    locked.push(run)
  }
  return locked
}

async function findByKey(tx: Tx, posting: NewPosting): Promise<Posting | undefined> {
  const earlier = await findPostingByKey(tx, posting)
  if (!earlier) return
  if (!earlier.requestHash.equals(posting.requestHash)) throw new Refused({ kind: 'key-reused' })
  return findPosting(tx, { ...posting, postingId: earlier.postingId })
}

/** Finds the posting of a key, whether the provider or an operator saved it. */
export function findPostingByKey(
  db: Db,
  { providerId, postingKey }: Pick<NewPosting, 'providerId' | 'postingKey'>,
): Promise<{ postingId: string; requestHash: Buffer } | undefined> {
  return db
    .selectFrom('posting')
    .select(['id as postingId', 'request_hash as requestHash'])
    .where('provider_id', '=', providerId)
    .where('posting_key', '=', postingKey)
    .executeTakeFirst()
}

function checkInProduction(runs: readonly OfferedPrintRun[]): void {
  const run = runs.find(({ state }) => !isInProduction(state))
  if (!run) return
  const { batchNumber, acknowledgedAt } = run
  throw new Refused({
    kind: 'not-in-production',
    batchNumber,
    isAcknowledged: acknowledgedAt !== null,
  })
}

/**
 * Inserts a posting; its counts are set once the documents are covered. Returns undefined if the key belongs to another
 * posting.
 */
export async function insertPostingRow(
  tx: Tx,
  posting: Omit<NewPosting, 'printRuns' | 'counts' | 'details'>,
): Promise<string | undefined> {
  const row = await tx
    .insertInto('posting')
    .values({
      id: randomUUID(),
      provider_id: posting.providerId,
      posting_key: posting.postingKey,
      request_hash: posting.requestHash,
      carrier: posting.carrier,
      handover_at: posting.handoverAt,
      manifest_number: posting.manifestNumber ?? null,
      despatch_properties: JSON.stringify(posting.despatchProperties),
      document_count: 0,
      sheet_count: 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

async function coverRuns(
  tx: Tx,
  posting: NewPosting,
  { postingId, runs }: { postingId: string; runs: readonly OfferedPrintRun[] },
): Promise<void> {
  const missing = await listNotCovered(tx, posting.printRuns)
  if (missing.documentCount > 0) throw new Refused({ kind: 'not-postable', ...missing })

  const covered: CoveredCount[] = []
  for (const run of runs) {
    const { batchNumber } = run
    const { documentIds } = posting.printRuns.find((each) => each.batchNumber === batchNumber)!
    const counts = await coverDocuments(tx, { postingId, run, documentIds })
    if (counts.length === 0) throw new Refused({ kind: 'nothing-to-post', batchNumber })
    covered.push(...counts)
  }
  const difference = differingCount(posting.counts ?? [], covered)
  if (difference) throw new Refused({ kind: 'count-differs', ...difference })

  if (posting.counts) await writeCounts(tx, postingId, weighCounts(posting.counts, covered))
  const refusal = await writeDetails(tx, { ...posting, postingId })
  if (refusal) throw new Refused(refusal)
  for (const { batchNumber } of runs) await updateStateOfWork(tx, batchNumber)
}

async function writeCounts(
  tx: Tx,
  postingId: string,
  counts: readonly WeighedCount[],
): Promise<void> {
  await tx
    .updateTable('posting')
    .set({ counts: JSON.stringify(counts) })
    .where('id', '=', postingId)
    .execute()
}
