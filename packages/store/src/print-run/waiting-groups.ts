import type { GatherableJob } from '@despatch/domain/print-run/gathering'
import type { GroupReading, WaitingGroup } from '@despatch/domain/print-run/waiting-groups'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { inIndexOrder } from '../in-index-order.ts'
import { despatchMethodOf, readyAtOf } from './waiting-letters.ts'

// The conditions and columns of the index print_job_to_gather, in its order.
const isInNoRun = sql<boolean>`(
  job.status = 'PENDING' and job.batch_number is null and job.deleted_at is null and job.held_at is null)`
const sheetsOf = sql<number>`coalesce(job.document_sheets, 1)`
const groupOf = sql`job.contract_id, ${despatchMethodOf}, ${sheetsOf}`

/**
 * SQL for a recursive common table expression `waiting`: the groups of the print jobs that are in no print run. It reads
 * one entry of the index for each group, however many print jobs wait.
 */
export const waitingGroups = sql`waiting (contract_id, despatch_method, sheets) as (
  (select ${groupOf} from print_job job where ${isInNoRun} order by ${groupOf} limit 1)
  union all
  select next.* from waiting cross join lateral (
    select ${groupOf} from print_job job
    where ${isInNoRun} and (${groupOf}) > (waiting.contract_id, waiting.despatch_method, waiting.sheets)
    order by ${groupOf} limit 1) next
)`

/**
 * SQL for print jobs of the group `waiting` or `reading` that are ready, those that were ready first before the others:
 * each is in no print run and not held, and its date, if it has one, has begun. The bounds of rows, in place of equal
 * columns, are only those of this index. Another index has the order in which print jobs of all groups are ready.
 */
export function readyJobs(
  group: 'waiting' | 'reading',
  at: RawBuilder<Date> | Date,
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const place = sql`${groupOf}, ${readyAtOf}`
  const names = ['contract_id', 'despatch_method', 'sheets'].map((name) =>
    sql.ref(`${group}.${name}`),
  )
  const ofGroup = sql.join(names)
  return sql`
    select ${columns} from print_job job
    where ${isInNoRun} and (${place}) >= (${ofGroup}, '-infinity') and (${place}) <= (${ofGroup}, ${at})
      and coalesce(job.route_after, '-infinity'::timestamptz) <= ${at}
    order by ${place}`
}

/** SQL: a print job is in no print run. Its order makes it read the index, however many print jobs there are. */
export const isAnyInNoRun = sql<boolean>`(
  (select job.key from print_job job where ${isInNoRun} order by ${groupOf} limit 1) is not null)`

/** Lists the groups with a print job that is ready to be gathered. The group whose first one was ready first comes first. */
export async function listWaitingGroups(db: Db, at: Date): Promise<WaitingGroup[]> {
  const groups = sql<WaitingGroup>`
    with recursive ${waitingGroups}
    select waiting.contract_id as "contractId", waiting.despatch_method as "despatchMethod", waiting.sheets,
      contract.stationery, contract.plex, contract.colour
    from waiting
    join contract on contract.id = waiting.contract_id
    cross join lateral (${readyJobs('waiting', at, sql`${readyAtOf} as since`)} limit 1) first
    order by first.since, waiting.contract_id, waiting.despatch_method, waiting.sheets`
  const { rows } = await inIndexOrder(db, (tx) => groups.execute(tx))
  return rows
}

const acceptedAt = sql<Date>`greatest(job.updated_at, job.not_before)`

/** A print job with the place of its group among those that are read. */
export type ReadJob = GatherableJob & { place: number }

/**
 * Locks ready print jobs of the groups until the transaction ends: up to the number of each group, in the order of the
 * groups, until `jobsMax` are locked. Skips print jobs that are locked.
 */
export async function lockReadyJobs(
  tx: Tx,
  readings: readonly GroupReading[],
  { at, jobsMax }: { at: Date; jobsMax: number },
): Promise<ReadJob[]> {
  if (readings.length === 0) return []
  const columns = sql`job.key, ${acceptedAt} as accepted_at`
  const locking = sql<{ key: string; acceptedAt: Date; place: number }>`
    select ready.key, ready.accepted_at as "acceptedAt", reading.place - 1 as place
    from ${named(readings)}
    cross join lateral (${readyJobs('reading', at, columns)} limit reading.jobs_max for update of job skip locked) ready
    limit ${jobsMax}`
  const { rows } = await inIndexOrder(tx, () => locking.execute(tx))
  return rows.map((row) => {
    const { contractId: _, jobsMax: __, ...needs } = readings[row.place]!
    return { ...needs, ...row }
  })
}

/**
 * Returns when the first of the ready print jobs of these groups was accepted; null if there is none. After a pass that
 * could have taken all, these are the ones that another transaction had locked.
 */
export async function findFirstAccepted(
  db: Db,
  groups: readonly WaitingGroup[],
  at: Date,
): Promise<Date | null> {
  if (groups.length === 0) return null
  const first = sql<{ acceptedAt: Date | null }>`
    select min(ready.accepted_at) as "acceptedAt"
    from ${named(groups)}
    cross join lateral (${readyJobs('reading', at, sql`${acceptedAt} as accepted_at`)}) ready`
  const { rows } = await inIndexOrder(db, (tx) => first.execute(tx))
  return rows[0]!.acceptedAt
}

/** SQL for the groups as the table `reading`. */
export function named(
  groups: readonly (WaitingGroup & { jobsMax?: number })[],
): RawBuilder<unknown> {
  return sql`unnest(${groups.map(({ contractId }) => contractId)}::uuid[],
    ${groups.map(({ despatchMethod }) => despatchMethod)}::text[], ${groups.map(({ sheets }) => sheets)}::integer[],
    ${groups.map(({ jobsMax = null }) => jobsMax)}::integer[])
    with ordinality as reading (contract_id, despatch_method, sheets, jobs_max, place)`
}
