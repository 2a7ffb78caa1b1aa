import { showPrintJob as operation } from '@despatch/contracts/administration/print-job-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { showAnyPrintJob } from '../show-any-print-job.ts'

/** GET /print-jobs/{printJobKey}: returns a print job with its timeline, files, callbacks and possible actions. */
export function showPrintJob(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params }) => showAnyPrintJob(db, params.printJobKey),
  })
}
