import { Problem } from '@despatch/domain/problem'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { type ClaimedPrintRun, freezeManifest } from './freeze.ts'
import { lockPrintRun, type OfferedPrintRun, type PrintRunRef } from './lock.ts'

type Claim = PrintRunRef & {
  /** Chosen by the provider; a key identifies one claim for ever. */
  claimKey: string
  requestHash: Buffer
  leaseSeconds: number
}

export type ClaimOutcome =
  | { kind: 'claimed'; response: Buffer }
  | { kind: 'absent' }
  | { kind: 'key-reused' }
  | { kind: 'already-acknowledged' }
  | { kind: 'empty' }
  | { kind: 'moved' }

/**
 * Claims a released run: freezes its list, totals and digest and moves its print jobs to PRODUCTION, in one
 * transaction. The rendered response is stored, and a repeat with the same key returns the same bytes. An
 * unacknowledged run is returned again, unchanged, for another key, because the provider may have lost the first
 * answer. Throws Problem 'claim-key-reused' if another run takes the key at the same moment.
 */
export async function saveClaim(
  db: Db,
  claim: Claim,
  renderResponse: (run: ClaimedPrintRun) => Buffer,
): Promise<ClaimOutcome> {
  return transact(db, async (tx) => {
    const run = await lockPrintRun(tx, claim)
    if (!run) return { kind: 'absent' }
    const earlier = await findClaim(tx, claim)
    if (earlier) return repeatClaim(earlier, claim)
    if (run.state === 'VOIDED') return { kind: 'moved' }
    if (run.acknowledgedAt) return { kind: 'already-acknowledged' }
    if (run.state === 'CLOSED') return { kind: 'empty' }

    const claimed =
      run.state === 'RELEASED'
        ? await freezeManifest(tx, run, claim)
        : await renewLease(tx, run, claim.leaseSeconds)
    if (!claimed) return { kind: 'empty' }
    return insertClaim(tx, claim, renderResponse(claimed))
  })
}

type EarlierClaim = { batch_number: string; request_hash: Buffer; response: Buffer }

function findClaim(tx: Tx, { providerId, claimKey }: Claim): Promise<EarlierClaim | undefined> {
  return tx
    .selectFrom('print_run_claim')
    .select(['batch_number', 'request_hash', 'response'])
    .where('provider_id', '=', providerId)
    .where('claim_key', '=', claimKey)
    .executeTakeFirst()
}

function repeatClaim(earlier: EarlierClaim, { batchNumber, requestHash }: Claim): ClaimOutcome {
  const isRepeat = earlier.batch_number === batchNumber && earlier.request_hash.equals(requestHash)
  return isRepeat ? { kind: 'claimed', response: earlier.response } : { kind: 'key-reused' }
}

async function renewLease(
  tx: Tx,
  run: OfferedPrintRun,
  leaseSeconds: number,
): Promise<ClaimedPrintRun> {
  const { rows } = await sql<{ lease_until: Date }>`
    update print_run set lease_until = now() + ${leaseSeconds}::integer * interval '1 second'
    where batch_number = ${run.batchNumber}
    returning lease_until`.execute(tx)
  return frozenRun(run, rows[0]!.lease_until)
}

function frozenRun(run: OfferedPrintRun, leaseUntil: Date): ClaimedPrintRun {
  const { batchNumber, claimedAt, manifestVersion, manifestDigest } = run
  const { documentCount, sheetCount, pageCount, byteCount } = run
  if (
    claimedAt === null ||
    manifestVersion === null ||
    manifestDigest === null ||
    documentCount === null ||
    sheetCount === null ||
    pageCount === null ||
    byteCount === null
  ) {
    throw new Error(`Print run ${batchNumber} is claimed but not frozen`)
  }
  return {
    batchNumber,
    claimedAt,
    leaseUntil,
    manifestVersion,
    manifestDigest: manifestDigest.toString('hex'),
    documentCount,
    sheetCount,
    pageCount,
    byteCount,
  }
}

// A concurrent claim of another run, which this transaction has not locked, may have used the key. This claim is then
// rolled back.
async function insertClaim(tx: Tx, claim: Claim, response: Buffer): Promise<ClaimOutcome> {
  const inserted = await tx
    .insertInto('print_run_claim')
    .values({
      provider_id: claim.providerId,
      claim_key: claim.claimKey,
      batch_number: claim.batchNumber,
      request_hash: claim.requestHash,
      response,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('batch_number')
    .executeTakeFirst()
  if (!inserted) {
    throw new Problem('claim-key-reused', 'The claim key was used for another print run')
  }
  return { kind: 'claimed', response }
}
