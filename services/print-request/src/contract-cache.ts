import { type Contract, listContracts } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'

/** A changed contract counts at the latest after this. */
const keptMs = 2_000
const consumersMax = 10_000

/** Reads a consumer's contracts, at most once in two seconds. */
export function createContractCache(
  db: Db,
  now: () => number = () => performance.now(),
): (consumerId: string) => Promise<readonly Contract[]> {
  const kept = new Map<string, { until: number; contracts: Promise<readonly Contract[]> }>()
  return (consumerId) => {
    const found = kept.get(consumerId)
    if (found && found.until > now()) return found.contracts
    if (kept.size >= consumersMax) kept.clear()
    const contracts = listContracts(db, consumerId)
    kept.set(consumerId, { until: now() + keptMs, contracts })
    // A failed read is not kept: the next request asks again.
    contracts.catch(() => kept.delete(consumerId))
    return contracts
  }
}
