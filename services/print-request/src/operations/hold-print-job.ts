import { holdPrintJob as operation } from '@despatch/contracts/print-request/send-control-operations'
import type { Api } from '@despatch/http/api'
import { holdOwnPrintJob } from '@despatch/store/print-job/hold'
import {
  actOnOwnPrintJob,
  type ReadContext,
  readExtendedPrintJob,
} from '../print-job/own-print-job.ts'

/**
 * POST /print/jobs/{jobId}/hold: holds the print job; it is not printed until it is released. An addition to the
 * specification.
 */
export function holdPrintJob(api: Api, context: ReadContext): void {
  api.route({
    ...operation,
    handler: async ({ params: { jobId }, body, caller: { consumerId }, log }) => {
      await actOnOwnPrintJob(context.db, { consumerId, id: jobId }, (tx, ref) =>
        holdOwnPrintJob(tx, ref, body?.reason),
      )
      return readExtendedPrintJob(context, { consumerId, jobId, log })
    },
  })
}
