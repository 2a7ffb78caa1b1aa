import { Refused } from '../api-session.ts'
import type { Claim } from '../fulfilment-client.ts'
import type { Production } from '../production.ts'

export type Lease = {
  /** Renews the lease when half of it is over; to be called again and again while work takes long. */
  keep(): Promise<void>
}

/** Holds the lease of a claim that has just been answered. Both ends of it are told by the server's clock. */
export function holdLease(
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
      await client.renewLease(batchNumber, settings.leaseSeconds).catch((error: unknown) => {
        // Whether the run is still ours is decided by its acknowledgement.
        if (error instanceof Refused && error.status === 409) return
        throw error
      })
    },
  }
}
