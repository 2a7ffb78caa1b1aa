import { releasePrintJob as operation } from '@despatch/contracts/print-request/send-control-operations'
import type { Api } from '@despatch/http/api'
import { releaseOwnPrintJob } from '@despatch/store/print-job/hold'
import {
  actOnOwnPrintJob,
  type ReadContext,
  readExtendedPrintJob,
} from '../print-job/own-print-job.ts'

/** POST /print/jobs/{jobId}/release: ends the hold on a print job. An addition to the specification. */
export function releasePrintJob(api: Api, context: ReadContext): void {
  api.route({
    ...operation,
    handler: async ({ params: { jobId }, caller: { consumerId }, log }) => {
      await actOnOwnPrintJob(context.db, { consumerId, id: jobId }, releaseOwnPrintJob)
      return readExtendedPrintJob(context, { consumerId, jobId, log })
    },
  })
}
