import { keptSince } from '@despatch/domain/purge/retention'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { purgeRows } from '@despatch/store/print-job/purge-rows'
import { purgedBody } from '@despatch/store/purge/purged-body'
import type { Logger } from '@despatch/telemetry/logger'
import { Counter, Gauge, type Registry } from '@despatch/telemetry/metrics'
import { sql } from 'kysely'
import { purgeObjects } from './purge-objects.ts'
import type { Remover } from './remover.ts'

export type PurgeOptions = {
  db: Db
  objects: Pick<ObjectStore, 'removeTogether'>
  remover: Pick<Remover, 'remove'>
  /** Applies to contracts that set no retention. */
  deploymentDays: number
  registry: Registry
  log: Pick<Logger, 'info'>
  now: () => Date
  leaseSeconds?: number
  jobsMax?: number
}

/** Limit for the print jobs of one pass, because one transaction locks their rows. */
const usualJobsMax = 250
/** After this many seconds, another process takes over the print jobs of a process that died. */
const usualLeaseSeconds = 600

type Walk = {
  startedAt: Date
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
 * return 'again' until the walk is over. Rejects soon after the signal aborts.
 */
export function createPurge(
  options: PurgeOptions,
): (closing?: AbortSignal) => Promise<'again' | 'idle'> {
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

  return async (closing) => {
    walk ??= await startWalk(options)
    const [contract] = walk.contracts
    if (!contract) {
      const { endedBefore } = walk
      if ((await purgeTestCallbacks(options.db, { endedBefore })) === 'again') return 'again'
      overdue.set(walk.left)
      walk = undefined
      return 'idle'
    }
    const { startedAt, after } = walk
    const page = await purgePage(options, { ...contract, startedAt, after, closing })
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
  return { startedAt: at, contracts, endedBefore, after: undefined, left: 0 }
}

async function purgePage(
  {
    db,
    objects,
    remover,
    log,
    now,
    leaseSeconds = usualLeaseSeconds,
    jobsMax = usualJobsMax,
  }: PurgeOptions,
  { closing, ...place }: Place & { closing: AbortSignal | undefined },
) {
  const { keys, leftCount, walkedTo } = await takeDue(db, {
    ...place,
    now: now(),
    leaseSeconds,
    jobsMax,
  })
  await purgeObjects({ db, objects, remover, closing }, keys)
  const purgedKeys = await purgeRows(db, keys, { now: now() })
  if (purgedKeys.length > 0) log.info({ printJobKeys: purgedKeys }, 'print-jobs.purged')
  const purgedCount = purgedKeys.length
  return { purgedCount, leftCount: leftCount + keys.length - purgedCount, walkedTo }
}

/**
 * When a print job ended. Together, these conditions match the index print_job_to_purge of ended print jobs with
 * personal data.
 */
const endedAt = sql`coalesce(job.despatched_at, job.deleted_at, job.updated_at)`
const isToPurge = sql`
  job.purged_at is null and (job.status in ('DESPATCHED', 'REJECTED') or job.deleted_at is not null)`

/**
 * SQL: something may still be reported about a row `document` of a row `run`. Of a run that was refused, or claimed and
 * never acknowledged, a document with an outcome is done, although nobody may ever close the run.
 */
export const isReportable = sql<boolean>`(
  run.state not in ('CLOSED', 'VOIDED') and (run.state not in ('CLAIMED', 'REFUSED') or document.outcome is null))`

/** A callback of a row of `page` is owed, or something may still be reported about its document. */
const mustWait = sql`(
  exists (select from callback where callback.print_job_key = page.key and callback.state in ('WAITING', 'DUE'))
  or exists (
    select from print_run_document document join print_run run using (batch_number)
    where document.print_job_key = page.key and document.removed_at is null and document.voided_at is null
      and ${isReportable}))`

/**
 * The position of a walk over the ended print jobs of a contract. `endedAt` is the database's text, to the microsecond.
 */
type WalkedTo = { endedAt: string; key: string }

type DuePage = {
  /** Print jobs leased for this purge: no other purge takes them before the lease expires. */
  keys: string[]
  /** Print jobs that are old enough but must wait, or whose purge began before this walk and may be interrupted. */
  leftCount: number
  /** Where to continue. Undefined: the walk is complete. */
  walkedTo: WalkedTo | undefined
}

type Place = {
  contractId: string
  /** Print jobs that ended before this time are due. */
  endedBefore: Date
  /** When the walk started. Print jobs that another process takes during the walk are not left over. */
  startedAt: Date
  after: WalkedTo | undefined
}

type DueWalk = Place & { now: Date; leaseSeconds: number; jobsMax: number }

type Due = WalkedTo & Pick<DuePage, 'keys' | 'leftCount'> & { walked: number }

/** Lists the retention of each contract, in days. Null: the deployment's default. */
async function listRetentions(
  db: Db,
): Promise<{ contractId: string; contractDays: number | null }[]> {
  const rows = await db
    .selectFrom('contract')
    .select(['id', 'retention_days'])
    .orderBy('id')
    .execute()
  return rows.map(({ id, retention_days }) => ({ contractId: id, contractDays: retention_days }))
}

/**
 * Takes the next page of print jobs of a contract that ended long enough ago, longest ended first. Leases those with
 * nothing left to do: no callback is owed, and the print run with the document is closed. From then on, the content of
 * the leased print jobs is no longer shown. Each print job is examined once per walk, so that one that must wait does
 * not delay others.
 */
async function takeDue(db: Db, walk: DueWalk): Promise<DuePage> {
  const { contractId, endedBefore, startedAt, after, now, leaseSeconds, jobsMax } = walk
  const onward = after
    ? sql`and (${endedAt}, job.key) > (${after.endedAt}::timestamptz, ${after.key}::uuid)`
    : sql``
  const { rows } = await sql<Due>`
    with page as materialized (
      select job.key, ${endedAt} as ended_at, job.purge_began_at < ${startedAt} as was_interrupted from print_job job
      where job.contract_id = ${contractId} and ${isToPurge} and ${endedAt} < ${endedBefore} ${onward}
      order by ${endedAt}, job.key limit ${jobsMax}
    ), judged as materialized (
      select key, was_interrupted, ${mustWait} as must_wait from page
    ), free as materialized (
      select job.key from print_job job
      where job.key in (select key from judged where not must_wait)
        and (job.purge_began_at is null
          or job.purge_began_at < ${now}::timestamptz - ${leaseSeconds}::integer * interval '1 second')
      order by job.key
      for no key update of job skip locked
    ), taken as (
      update print_job set purge_began_at = ${now} from free where print_job.key = free.key
      returning print_job.key
    )
    select (select coalesce(array_agg(key order by key), '{}') from taken) as keys,
      (select count(*) from page) as walked,
      (select count(*) from judged
        where must_wait or was_interrupted and key not in (select key from taken)) as "leftCount",
      last.ended_at::text as "endedAt", last.key
    from page last order by last.ended_at desc, last.key desc limit 1`.execute(db)
  const last = rows[0]
  if (!last) return { keys: [], leftCount: 0, walkedTo: undefined }
  const { keys, walked, leftCount, ...walkedTo } = last
  return { keys, leftCount, walkedTo: walked < jobsMax ? undefined : walkedTo }
}

/** Limit for the test messages of one pass. They are few and have an index of their own. */
const testCallbacksMax = 1_000

/**
 * Removes destination, message and answers of test messages that ended before `endedBefore`. They belong to no print
 * job with which they could be purged. Returns `again` if there may be more.
 */
async function purgeTestCallbacks(
  db: Db,
  { endedBefore }: { endedBefore: Date },
): Promise<'again' | 'idle'> {
  const { rows } = await sql<{ purged: number }>`
    with ended as (
      select id from callback
      where kind = 'test' and destination_sealed is not null and state in ('DELIVERED', 'DEAD') and ended_at < ${endedBefore}
      order by id limit ${testCallbacksMax}
      for no key update skip locked
    ), attempt as (
      update callback_attempt set address = null, answer = null from ended where callback_id = ended.id
    ), purged as (
      update callback set destination_sealed = null, body = ${purgedBody} from ended where callback.id = ended.id
      returning callback.id
    )
    select count(*) as purged from purged`.execute(db)
  return rows[0]!.purged === testCallbacksMax ? 'again' : 'idle'
}
