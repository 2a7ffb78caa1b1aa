import { renderClaim } from '@despatch/contracts/print-fulfilment/claim'
import { Problem } from '@despatch/domain/problem'
import { fingerprintOf } from '../fingerprint.ts'
import { manifestOf } from './manifest.ts'
import type { PlatformRun } from './platform-run.ts'

/**
 * Claims the run, or returns the claim again. The same key gets the same bytes; another key gets the same list until
 * the acknowledgement.
 */
export function claimRun(
  run: PlatformRun,
  claim: { key: string; body: unknown; leaseSeconds: number; now: Date },
): Uint8Array {
  const { batchNumber } = run
  const fingerprint = fingerprintOf(claim.body)
  const earlier = run.claims.get(claim.key)
  if (earlier?.fingerprint === fingerprint) return earlier.response
  if (earlier) {
    throw new Problem('claim-key-reused', 'The Idempotency-Key was used with another body')
  }
  if (run.acknowledgement) {
    throw new Problem(
      'print-run-not-claimable',
      `Print run ${batchNumber} was claimed with another key and acknowledged`,
    )
  }
  run.claimedAt ??= claim.now
  run.leaseUntil = new Date(claim.now.getTime() + claim.leaseSeconds * 1_000)
  const { claimedAt, leaseUntil } = run
  const response = renderClaim({ ...manifestOf(run), claimedAt, leaseUntil })
  run.claims.set(claim.key, { fingerprint, response })
  return response
}

/**
 * Renews the lease and returns its end. A lease never becomes shorter. Throws a Problem unless the run is claimed and
 * not acknowledged.
 */
export function renewLease(
  run: PlatformRun,
  { leaseSeconds, now }: { leaseSeconds: number; now: Date },
): Date {
  if (!run.claimedAt || !run.leaseUntil || run.acknowledgement) {
    throw new Problem(
      'print-run-not-claimable',
      `Print run ${run.batchNumber} is not claimed, or has been acknowledged`,
    )
  }
  const until = Math.max(now.getTime() + leaseSeconds * 1_000, run.leaseUntil.getTime())
  run.leaseUntil = new Date(until)
  return run.leaseUntil
}
