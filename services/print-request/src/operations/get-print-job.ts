import { getPrintJob as operation } from '@despatch/contracts/print-request/operations'
import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import { renderPrintJob } from '@despatch/contracts/print-request/print-job-response'
import { printJobNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findPrintJob } from '@despatch/store/print-job-record'

/** GET /print/jobs/{jobId}: the print job as it stands. Another consumer's reads as one that never was. */
export function getPrintJob(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { jobId } = request.params
      const printJob = isPrintJobId(jobId)
        ? await findPrintJob(db, request.caller.consumerId, jobId)
        : undefined
      if (!printJob) throw printJobNotFound(jobId)
      return renderPrintJob(printJob)
    },
  })
}
