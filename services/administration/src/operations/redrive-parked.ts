import { redriveParked as operation } from '@despatch/contracts/administration/parked-operations'
import { outageFailurePattern } from '@despatch/domain/outage/outage-failures'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { type Db, lockNotAvailable, type Tx } from '@despatch/store/database'
import type { By } from '@despatch/store/print-job/lock'
import { redriveSteps } from '@despatch/store/print-job/redrive'
import { sql } from 'kysely'
import { actorOf } from '../operator/access.ts'
import { readParked, redrivable } from './count-parked.ts'

const printJobsOfPageMax = 500
/** Well within the 30 seconds that the console waits for a response. */
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
      /** Print jobs whose lock was not released in time. */
      const locked: string[] = []
      let redriven = 0
      while (performance.now() < endsAtMs) {
        let taken = await transact(db, (tx) => redriveParkedByOutage(tx, page, by))
        if (taken === 0) {
          const key = await findParked(db, page, locked)
          if (key === undefined) break
          const waitMsMax = Math.max(1, Math.min(lockWaitMsMax, endsAtMs - performance.now()))
          taken = await redriveLocked(db, { ...page, key, waitMsMax }, by)
          if (taken === 0) locked.push(key)
        }
        redriven += taken
      }
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

/** Returns the key of the print job that is parked longest, without those that are already known to stay locked. */
async function findParked(
  db: Db,
  { parkedBy }: ParkedPage,
  locked: readonly string[],
): Promise<string | undefined> {
  const { rows } = await sql<{ key: string }>`
    select key from print_job where ${parkedBefore(parkedBy)} and key <> all (${locked}::uuid[])
    order by parked_at limit 1`.execute(db)
  return rows[0]?.key
}

/**
 * Redrives a print job that another transaction has locked, once that transaction ends. It waits for one at a time, so
 * that no two transactions wait for each other. Returns 0 if the lock is not released in time.
 */
async function redriveLocked(
  db: Db,
  { key, waitMsMax, ...page }: ParkedPage & { key: string; waitMsMax: number },
  by: By,
): Promise<number> {
  try {
    return await transact(db, async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(Math.ceil(waitMsMax))}`.execute(tx)
      return redriveParkedByOutage(tx, page, by, { key })
    })
  } catch (error) {
    if ((error as { code?: string }).code === lockNotAvailable) return 0
    throw error
  }
}

function parkedBefore(parkedBy: string) {
  return sql`${redrivable} and parked_at <= ${parkedBy}::timestamptz and step_failure ~ ${outageFailurePattern}`
}

/**
 * Redrives one page of the print jobs that an outage parked, longest parked first. Writes a timeline note and an audit
 * event for each. Skips those that another transaction has locked, unless `only` names one. Returns the number of print
 * jobs.
 */
async function redriveParkedByOutage(
  tx: Tx,
  { parkedBy, printJobsMax, spreadSeconds }: ParkedPage,
  by: By,
  only?: { key: string },
): Promise<number> {
  const these = only ? sql`and key = ${only.key}::uuid` : sql``
  const ifLocked = only ? sql`` : sql`skip locked`
  const { rows } = await sql<{ key: string }>`
    select key from print_job
    where ${parkedBefore(parkedBy)} ${these}
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
