import { jobIdParamsSchema } from '@despatch/contracts/print-request/print-job-id'
import {
  printJobResponseSchema,
  renderPrintJob,
} from '@despatch/contracts/print-request/print-job-response'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findPrintJob } from '@despatch/store/print-job-record'
import { printJobNotFound } from '../print-job-not-found.ts'

/** GET /print/jobs/{jobId}: the print job as it stands. */
export function getPrintJob(api: Api, { db }: { db: Db }): void {
  api.route({
    method: 'GET',
    url: '/print-request/v1/print/jobs/:jobId',
    schema: {
      summary: 'Read a print job',
      params: jobIdParamsSchema,
      response: { 200: printJobResponseSchema },
    },
    handler: async (request) => {
      const { jobId } = request.params
      const printJob = await findPrintJob(db, request.caller.consumerId, jobId)
      if (!printJob) throw printJobNotFound(jobId)
      return renderPrintJob(printJob)
    },
  })
}
