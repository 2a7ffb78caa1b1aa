import { getPrintJobByKey as operation } from '@despatch/contracts/administration/print-job-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { getPrintJobDetails } from '../print-job/details.ts'

/** GET /print-jobs/{printJobKey}: returns a print job with its timeline, files, callbacks and possible actions. */
export function getPrintJobByKey(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params }) => getPrintJobDetails(db, params.printJobKey),
  })
}
