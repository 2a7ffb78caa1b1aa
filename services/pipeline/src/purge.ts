import { keptSince } from '@despatch/domain/purge/retention'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { listRetentions, takeDue, type WalkedTo } from '@despatch/store/purge/due'
import { purgeRows } from '@despatch/store/purge/rows'
import { purgeTestCallbacks } from '@despatch/store/purge/test-callbacks'
import type { Logger } from '@despatch/telemetry/logger'
import { Counter, Gauge, type Registry } from '@despatch/telemetry/metrics'
import { purgeObjects } from './purge-objects.ts'
import type { Remover } from './remover.ts'

export type PurgeOptions = {
  db: Db
  objects: Pick<ObjectStore, 'remove'>
  remover: Pick<Remover, 'remove'>
  /** Applies to contracts that set no retention. */
  deploymentDays: number
  registry: Registry
  log: Pick<Logger, 'info'>
  now: () => Date
  leaseSeconds?: number
}

/** Limit for the print jobs of one pass, because one transaction locks their rows. */
const jobsMax = 100
/** After this many seconds, another process takes over the print jobs of a process that died. */
const usualLeaseSeconds = 600

type Walk = {
  /** For rows without a contract. */
  endedBefore: Date
  contracts: { contractId: string; endedBefore: Date }[]
  after: WalkedTo | undefined
  left: number
}

/**
 * Returns the pass that removes personal information from print jobs whose retention is over: first their files and
 * documents in the object store, then the values in their rows. Each step may be repeated, and several processes may
 * purge at once. The passes walk over all contracts, a page of print jobs at a time, then over test messages. They
 * return 'again' until the walk is over.
 */
export function createPurge(options: PurgeOptions): () => Promise<'again' | 'idle'> {
  const { registry } = options
  const purged = new Counter({
    name: 'print_jobs_purged_total',
    help: 'Print jobs whose personal data was removed',
    registers: [registry],
  })
  const overdue = new Gauge({
    name: 'print_jobs_purge_overdue',
    help: 'Print jobs whose retention has expired but that still hold personal data: work on them continues, or their purge was interrupted',
    registers: [registry],
  })
  let walk: Walk | undefined

  return async () => {
    walk ??= await startWalk(options)
    const [contract] = walk.contracts
    if (!contract) {
      const { endedBefore } = walk
      if ((await purgeTestCallbacks(options.db, { endedBefore })) === 'again') return 'again'
      overdue.set(walk.left)
      walk = undefined
      return 'idle'
    }
    const page = await purgePage(options, { ...contract, after: walk.after })
    purged.inc(page.purgedCount)
    walk.left += page.leftCount
    walk.after = page.walkedTo
    if (!page.walkedTo) walk.contracts.shift()
    return 'again'
  }
}

async function startWalk({ db, deploymentDays, now }: PurgeOptions): Promise<Walk> {
  const at = now()
  const retentions = await listRetentions(db)
  const contracts = retentions.map(({ contractId, contractDays }) => ({
    contractId,
    endedBefore: keptSince(at, { contractDays, deploymentDays }),
  }))
  const endedBefore = keptSince(at, { contractDays: null, deploymentDays })
  return { contracts, endedBefore, after: undefined, left: 0 }
}

async function purgePage(
  { db, objects, remover, log, now, leaseSeconds = usualLeaseSeconds }: PurgeOptions,
  place: { contractId: string; endedBefore: Date; after: WalkedTo | undefined },
) {
  const { keys, leftCount, walkedTo } = await takeDue(db, {
    ...place,
    now: now(),
    leaseSeconds,
    jobsMax,
  })
  await purgeObjects({ db, objects, remover }, keys)
  const purgedKeys = await purgeRows(db, keys, { now: now() })
  if (purgedKeys.length > 0) log.info({ printJobKeys: purgedKeys }, 'print-jobs.purged')
  const purgedCount = purgedKeys.length
  return { purgedCount, leftCount: leftCount + keys.length - purgedCount, walkedTo }
}
