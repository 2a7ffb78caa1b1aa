import { getPrintJob as operation } from '@despatch/contracts/print-request/operations'
import { ownPrintJob } from '@despatch/contracts/print-request/print-job-response'
import type { Api } from '@despatch/http/api'
import { type ReadContext, readExtendedPrintJob, readPrintJob } from '../print-job/own-print-job.ts'

/**
 * GET /print/jobs/{jobId}: returns the print job. The extended view adds what is planned for it and what it waits for.
 */
export function getPrintJob(api: Api, context: ReadContext): void {
  api.route({
    ...operation,
    handler: async ({ params, query, caller, log }) => {
      const asked = { consumerId: caller.consumerId, jobId: params.jobId, log }
      return query.view === 'extended'
        ? readExtendedPrintJob(context, asked)
        : ownPrintJob(await readPrintJob(context, asked))
    },
  })
}
