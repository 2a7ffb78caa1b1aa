import { redriveParked as operation } from '@despatch/contracts/administration/parked-operations'
import { outageFailurePattern } from '@despatch/domain/outage/outage-failures'
import type { Api } from '@despatch/http/api'
import { type Db, lockNotAvailable, type Tx } from '@despatch/store/database'
import type { By } from '@despatch/store/print-job/lock'
import { redriveSteps } from '@despatch/store/print-job/redrive'
import { transact } from '@despatch/store/transact'
import { sql } from 'kysely'
import { actorOf } from '../operator/actor-of.ts'
import { readParked, redrivable } from './count-parked.ts'

const printJobsOfPageMax = 500
/** Well within the 60 seconds that the console and the gateway wait for a response. */
const answerMsMax = 20_000
/** How long a redrive waits for one print job that another transaction has locked. */
const lockWaitMsMax = 3_000
/** Fewer than one pipeline on two cores processes per second, so that new letters do not wait behind the old ones. */
const duePerSecond = 100

/**
 * POST /parked-print-jobs/redrive: retries every print job that an outage parked, page by page, for about 20 seconds.
 * The response says how many are left.
 */
export function redriveParked(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body: { reason }, caller }) => {
      const endsAtMs = performance.now() + answerMsMax
      const by = { actor: actorOf(caller), reason }
      const parkedBy = await readDatabaseTime(db)
      const { count } = await readParked(db)
      const page = {
        parkedBy,
        printJobsMax: printJobsOfPageMax,
        spreadSeconds: Math.max(0, count / duePerSecond - 1),
      }
      let redriven = 0
      let taken: number
      do {
        taken =
          (await transact(db, (tx) => redriveParkedByOutage(tx, page, by))) ||
          (await redriveLocked(db, page, by))
        redriven += taken
      } while (taken > 0 && performance.now() < endsAtMs)
      return { redriven, left: (await readParked(db)).count }
    },
  })
}

/** Returns the database's time, to the microsecond. */
async function readDatabaseTime(db: Db): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db)
  return rows[0]!.now
}

type ParkedPage = {
  /** Print jobs parked after this time are skipped, so that one redrive does not take the same print job twice. */
  parkedBy: string
  printJobsMax: number
  /** They become due at random times within this period. */
  spreadSeconds: number
}

/**
 * Redrives the first print job that another transaction has locked, once that transaction ends. It waits for one at a
 * time, so that no two transactions wait for each other. Returns 0 if none is left or the lock is not released in time.
 */
async function redriveLocked(db: Db, page: ParkedPage, by: By): Promise<number> {
  try {
    return await transact(db, async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(lockWaitMsMax)}`.execute(tx)
      return redriveParkedByOutage(tx, { ...page, printJobsMax: 1 }, by, sql``)
    })
  } catch (error) {
    if ((error as { code?: string }).code === lockNotAvailable) return 0
    throw error
  }
}

/**
 * Redrives one page of the print jobs that an outage parked, longest parked first. Writes a timeline note and an audit
 * event for each. By default it skips those that another transaction has locked. Returns the number of print jobs.
 */
async function redriveParkedByOutage(
  tx: Tx,
  { parkedBy, printJobsMax, spreadSeconds }: ParkedPage,
  by: By,
  ifLocked = sql`skip locked`,
): Promise<number> {
  const { rows } = await sql<{ key: string }>`
    select key from print_job
    where ${redrivable} and parked_at <= ${parkedBy}::timestamptz and step_failure ~ ${outageFailurePattern}
    order by parked_at limit ${printJobsMax} for no key update ${ifLocked}`.execute(tx)
  if (rows.length === 0) return 0
  const keys = rows.map(({ key }) => key)
  await sql`
    insert into audit_event (actor, action, consumer_id, detail)
    select ${by.actor}, 'print-job.redriven', consumer_id, jsonb_build_object('printJobKey', key, 'printJobId', id,
      'reason', ${by.reason ?? null}::text, 'failure', step_failure)
    from print_job where key = any (${keys}::uuid[]) order by parked_at`.execute(tx)
  await redriveSteps(tx, keys, by, { spreadSeconds })
  return keys.length
}
