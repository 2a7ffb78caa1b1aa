import {
  countParked as operation,
  type ParkedPrintJobsResponse,
} from '@despatch/contracts/administration/parked-operations'
import { isOutageFailure } from '@despatch/domain/outage/outage-failures'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { countParkedByFailure } from '@despatch/store/print-job/redrive-parked'

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
