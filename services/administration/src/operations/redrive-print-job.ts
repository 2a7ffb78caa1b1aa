import { redrivePrintJob as operation } from '@despatch/contracts/administration/print-job-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { actOnPrintJobByKey, printJobActs } from '../print-job/acts.ts'

/** POST /print-jobs/{printJobKey}/redrive: retries a parked print job at once. */
export function redrivePrintJob(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => actOnPrintJobByKey(db, request, printJobActs.redrive),
  })
}
