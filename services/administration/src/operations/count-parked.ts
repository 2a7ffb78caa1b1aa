import {
  countParked as operation,
  type ParkedPrintJobsResponse,
} from '@despatch/contracts/administration/parked-operations'
import { isOutageFailure } from '@despatch/domain/outage/outage-failures'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** GET /parked-print-jobs: counts the parked print jobs by the class of their last fault. */
export function countParked(api: Api, { db }: { db: Db }): void {
  api.route({ ...operation, handler: () => readParked(db) })
}

/** Returns the number of parked print jobs, and of those among them that an outage parked. */
export async function readParked(db: Db): Promise<ParkedPrintJobsResponse> {
  const failures = (await countParkedByFailure(db)).map(({ failure, count }) => ({
    failure,
    count,
    isOutage: isOutageFailure(failure),
  }))
  const count = failures.reduce((sum, each) => sum + (each.isOutage ? each.count : 0), 0)
  return { count, failures }
}

/** The condition of print jobs that may be redriven. */
export const redrivable = sql`parked_at is not null and deleted_at is null and purge_began_at is null
  and status in ('QUARANTINE', 'VALIDATING')`

/** The number of parked print jobs whose last failure has this class. */
type ParkedCount = { failure: string; count: number }

/** Counts the parked print jobs that may be redriven, by the class of their last fault, most frequent first. */
async function countParkedByFailure(db: Db): Promise<ParkedCount[]> {
  const { rows } = await sql<ParkedCount>`
    select coalesce(step_failure, 'Error') as failure, count(*) as count
    from print_job where ${redrivable} group by 1 order by 2 desc, 1`.execute(db)
  return rows
}
