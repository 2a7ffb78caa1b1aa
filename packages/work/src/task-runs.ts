import { hostname } from 'node:os'
import { classOfFault } from '@despatch/domain/outage/fault-class'
import {
  type PeriodicTaskRun,
  type PeriodicTaskState,
  stateOfPeriodicTask,
} from '@despatch/domain/work/periodic-task'
import { sql } from 'kysely'
import type { Db } from './kind.ts'

/** What this process knows of a periodic task. Times are in milliseconds of `performance.now()`. */
export type TaskRun = {
  name: string
  everyMs: number
  /** When there was last found to be nothing to do, or when a pass last ended without an error. */
  lookedAtMs?: number
  /** When the pass under way began. */
  beganAtMs?: number | undefined
  /** The last pass that had something to do and ended without an error. */
  ran?: { atMs: number; tookMs: number }
  failed?: { atMs: number; error: unknown }
}

const owner = `${hostname()}:${process.pid}`
const keptDays = 7

/**
 * Records the runs of the tasks of a service, by the database's clock. Of several processes, the one that looked last
 * owns the row; the last run and the last failure of any of them stay. Nobody waits for the commit. Removes tasks that no
 * process has run for 7 days.
 */
export async function recordRuns(db: Db, service: string, runs: readonly TaskRun[]): Promise<void> {
  const nowMs = performance.now()
  const ageMs = (atMs: number | undefined) => (atMs === undefined ? null : nowMs - atMs)
  const seen = runs.map(({ name, everyMs, lookedAtMs, beganAtMs, ran, failed }) => ({
    name,
    every_ms: everyMs,
    looked_ms: ageMs(lookedAtMs),
    began_ms: ageMs(beganAtMs),
    ran_ms: ageMs(ran?.atMs),
    took_ms: ran?.tookMs,
    failed_ms: ageMs(failed?.atMs),
    error: failed && classOfFault(failed.error),
  }))
  await sql`
    with run as (
      select name, every_ms, took_ms, error, now() - looked_ms * interval '1 millisecond' as looked_at,
        now() - began_ms * interval '1 millisecond' as began_at, now() - ran_ms * interval '1 millisecond' as ran_at,
        now() - failed_ms * interval '1 millisecond' as failed_at
      from json_to_recordset(${JSON.stringify(seen)}::json) as seen (name text, every_ms double precision,
        looked_ms double precision, began_ms double precision, ran_ms double precision, took_ms double precision,
        failed_ms double precision, error text),
        (select set_config('synchronous_commit', 'off', true) offset 0) nobody_waits
    ), gone as (
      delete from periodic_task
      where seen_at < now() - ${keptDays}::integer * interval '1 day'
        and not (service = ${service} and name in (select name from run))
    )
    insert into periodic_task as known (service, name, every_ms, owner, looked_at, began_at, ran_at, took_ms, failed_at, error)
    select ${service}, name, every_ms, ${owner}, looked_at, began_at, ran_at, took_ms, failed_at, error from run
    where looked_at is not null or began_at is not null or failed_at is not null
    on conflict (service, name) do update set
      every_ms = excluded.every_ms,
      seen_at = now(),
      owner = case when known.looked_at > excluded.looked_at then known.owner else excluded.owner end,
      began_at = case when known.looked_at > excluded.looked_at then known.began_at else excluded.began_at end,
      looked_at = greatest(excluded.looked_at, known.looked_at),
      took_ms = case when known.ran_at > excluded.ran_at then known.took_ms else coalesce(excluded.took_ms, known.took_ms) end,
      ran_at = greatest(excluded.ran_at, known.ran_at),
      error = case when known.failed_at > excluded.failed_at then known.error else coalesce(excluded.error, known.error) end,
      failed_at = greatest(excluded.failed_at, known.failed_at)`.execute(db)
}

export type ListedTask = PeriodicTaskRun & {
  service: string
  name: string
  state: PeriodicTaskState
  /** The process that looked last: its host and process id. */
  owner: string
  /** The last pass that had something to do and ended without an error: when it began, and how long it took. */
  ranAt: Date | null
  tookMs: number | null
  /** When its next pass is due. Null while a pass is under way, or if there has been none. */
  nextAt: Date | null
  /** The class or code of the last failure. */
  error: string | null
}

/** Lists the periodic tasks of all services. */
export async function listPeriodicTasks(db: Db): Promise<ListedTask[]> {
  const { rows } = await sql<Omit<ListedTask, 'state'> & { now: Date }>`
    select service, name, owner, every_ms as "everyMs", seen_at as "seenAt", looked_at as "lookedAt",
      began_at as "beganAt", ran_at as "ranAt", took_ms as "tookMs", failed_at as "failedAt", error, now(),
      case when began_at is null then greatest(looked_at, failed_at) + every_ms * interval '1 millisecond' end as "nextAt"
    from periodic_task order by service, name`.execute(db)
  return rows.map(({ now, ...task }) => ({ ...task, state: stateOfPeriodicTask(task, now) }))
}
