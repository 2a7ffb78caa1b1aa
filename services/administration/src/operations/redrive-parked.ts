import { redriveParked as operation } from '@despatch/contracts/administration/parked-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { readDatabaseTime, redriveParkedByOutage } from '@despatch/store/print-job/redrive-parked'
import { transact } from '@despatch/store/transact'
import { actorOf } from '../actor-of.ts'
import { readParked } from './count-parked.ts'

const printJobsOfPageMax = 500
/** The console and the gateway wait 60 seconds for a response. */
const answerMsMax = 20_000
/** Fewer per second than one pipeline on two cores processes, so that new letters do not wait behind the old ones. */
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
        taken = await transact(db, (tx) => redriveParkedByOutage(tx, page, by))
        redriven += taken
      } while (taken > 0 && performance.now() < endsAtMs)
      return { redriven, left: (await readParked(db)).count }
    },
  })
}
