import { getPrintJob as operation } from '@despatch/contracts/print-request/operations'
import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import {
  renderExtendedPrintJob,
  renderPrintJob,
} from '@despatch/contracts/print-request/print-job-response'
import { printJobNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findPrintJobPlan } from '@despatch/store/print-job/plan'
import { findPrintJob } from '@despatch/store/print-job/record'
import { readCallbackParams } from '../read-callback-params.ts'

export type GetContext = { db: Db; unsealDestination: (sealed: Uint8Array) => string }

/**
 * GET /print/jobs/{jobId}: the print job as it stands, and in the extended view what is planned for it. Another consumer's
 * reads as one that never was.
 */
export function getPrintJob(api: Api, { db, unsealDestination }: GetContext): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { jobId } = request.params
      const { consumerId } = request.caller
      const kept = isPrintJobId(jobId) ? await findPrintJob(db, consumerId, jobId) : undefined
      if (!kept) throw printJobNotFound(jobId)
      const callbackParams = readCallbackParams(kept, {
        unseal: unsealDestination,
        onUnreadable: () => request.log.error({ jobId }, 'callback-destination.unreadable'),
      })
      const printJob = { ...kept, callbackParams }
      if (request.query.view !== 'extended') return renderPrintJob(printJob)
      return renderExtendedPrintJob(printJob, await findPrintJobPlan(db, consumerId, jobId))
    },
  })
}
