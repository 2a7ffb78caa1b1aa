import { releasePrintJobByKey as operation } from '@despatch/contracts/administration/print-job-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { actOnPrintJobByKey, printJobActs } from '../print-job/acts.ts'

/**
 * POST /print-jobs/{printJobKey}/release: ends a print job's hold, whether a consumer, a contract or an operator set
 * it.
 */
export function releasePrintJobByKey(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => actOnPrintJobByKey(db, request, printJobActs.release),
  })
}
