import { DespatchError } from '@despatch/client/despatch-error'
import type { Claim } from '@despatch/client/print-run'
import type { Production } from '../print-run/production.ts'

export type Lease = {
  /** Renews the lease once half of it is over. Call it repeatedly during long work. */
  keep(): Promise<void>
}

/** Keeps the lease of a claim that the server has just answered. The server's clock sets both ends of the lease. */
export function keepLease(
  batchNumber: string,
  { claimedAt, leaseUntil }: Claim,
  { client, settings }: Production,
): Lease {
  const leaseMs = Date.parse(leaseUntil) - Date.parse(claimedAt)
  let renewAtMs = performance.now() + leaseMs / 2
  return {
    keep: async () => {
      if (performance.now() < renewAtMs) return
      renewAtMs = performance.now() + leaseMs / 2
      const { leaseSeconds } = settings
      await client.renewLease(batchNumber, { leaseSeconds }).catch((error: unknown) => {
        // The acknowledgement decides whether the run is still ours.
        if (error instanceof DespatchError && error.status === 409) return
        throw error
      })
    },
  }
}
