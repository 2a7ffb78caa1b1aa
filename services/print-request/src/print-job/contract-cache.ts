import { type Contract, listContracts } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'

/** A changed contract takes effect after at most this time. */
const keptMs = 2_000
const consumersMax = 10_000

/** Returns a function that reads a consumer's contracts from the database at most once in two seconds. */
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
    // A failed read is not cached, so the next request reads again.
    contracts.catch(() => kept.delete(consumerId))
    return contracts
  }
}
