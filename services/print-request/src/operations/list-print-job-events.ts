import { listPrintJobEvents as operation } from '@despatch/contracts/print-request/operations'
import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import { printJobNotFound } from '@despatch/contracts/print-request/problems'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findOwnTimeline } from '../print-job/own-timeline.ts'

/**
 * GET /print/jobs/{jobId}/events: lists every transition with its time, actor and reason, the print run, the callbacks,
 * and which actions are possible now. An addition to the specification.
 */
export function listPrintJobEvents(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { jobId } = request.params
      const timeline = isPrintJobId(jobId)
        ? await findOwnTimeline(db, request.caller.consumerId, jobId)
        : undefined
      if (!timeline) throw printJobNotFound(jobId)
      return timeline
    },
  })
}
