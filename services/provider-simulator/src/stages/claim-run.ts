import { randomUUID } from 'node:crypto'
import { DespatchError } from '@despatch/client/despatch-error'
import type { Claim, Manifest } from '@despatch/client/print-run'
import type { Production } from '../print-run/production.ts'
import type { RunInHand } from '../print-run/run-book.ts'
import { keepLease, type Lease } from './keep-lease.ts'

/**
 * Claims a run with the key on disk, and reads its manifest. Returns undefined if nothing is left to print in it, or if
 * it no longer belongs to this factory. Throws if the manifest is inconsistent.
 */
export async function claimRun(
  run: RunInHand,
  production: Production,
): Promise<{ manifest: Manifest; lease: Lease } | undefined> {
  const { batchNumber } = run
  const { client, onEvent } = production
  const claim = await claimByKey(run, production)
  if (!claim) return
  const { documentCount, manifestDigest, leaseUntil } = claim
  onEvent({ kind: 'claimed', batchNumber, documentCount, manifestDigest, leaseUntil })
  await production.reach('after-claim', run)
  const manifest = await client.getManifest(batchNumber)
  if (manifest.manifestDigest !== manifestDigest) {
    throw new Error(`Manifest of ${batchNumber}: it is not the claimed manifest`)
  }
  return { manifest, lease: keepLease(batchNumber, claim, production) }
}

async function claimByKey(run: RunInHand, production: Production): Promise<Claim | undefined> {
  const { client, settings } = production
  const { leaseSeconds } = settings
  const claim = () =>
    client.claimPrintRun(run.batchNumber, { idempotencyKey: run.record.claimKey, leaseSeconds })
  try {
    return await claim()
  } catch (error) {
    if (!(error instanceof DespatchError)) throw error
    // The key belongs to a claim with another lease. The run is ours, and a new key claims it again.
    if (error.code === 'ClaimKeyReused') {
      await run.save({ claimKey: randomUUID() })
      return claim()
    }
    if (error.status === 404 || error.status === 409) return
    throw error
  }
}
