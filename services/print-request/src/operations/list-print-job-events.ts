import { listPrintJobEvents as operation } from '@despatch/contracts/print-request/operations'
import { renderPrintJobEvents } from '@despatch/contracts/print-request/print-job-events'
import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import { printJobNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findPrintJobEvents } from '@despatch/store/print-job/record'

/**
 * GET /print/jobs/{jobId}/events: lists every transition with its time, actor and reason. An addition to the
 * specification.
 */
export function listPrintJobEvents(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { jobId } = request.params
      const events = isPrintJobId(jobId)
        ? await findPrintJobEvents(db, request.caller.consumerId, jobId)
        : undefined
      if (!events) throw printJobNotFound(jobId)
      return renderPrintJobEvents(jobId, events)
    },
  })
}
