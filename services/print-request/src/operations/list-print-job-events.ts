import {
  printJobEventsResponseSchema,
  renderPrintJobEvents,
} from '@despatch/contracts/print-request/print-job-events'
import { jobIdParamsSchema } from '@despatch/contracts/print-request/print-job-id'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findPrintJobEvents } from '@despatch/store/print-job-record'
import { printJobNotFound } from '../print-job-not-found.ts'

/** GET /print/jobs/{jobId}/events: every transition with its time, actor and reason. An addition of ours. */
export function listPrintJobEvents(api: Api, { db }: { db: Db }): void {
  api.route({
    method: 'GET',
    url: '/print-request/v1/print/jobs/:jobId/events',
    schema: {
      summary: 'Read the timeline of a print job',
      params: jobIdParamsSchema,
      response: { 200: printJobEventsResponseSchema },
    },
    handler: async (request) => {
      const { jobId } = request.params
      const events = await findPrintJobEvents(db, request.caller.consumerId, jobId)
      if (!events) throw printJobNotFound(jobId)
      return renderPrintJobEvents(events)
    },
  })
}
