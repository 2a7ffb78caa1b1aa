import { jobIdParamsSchema } from '@despatch/contracts/print-request/print-job-id'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { deletePrintJob as deleteStored } from '@despatch/store/delete-print-job'
import { z } from 'zod'
import { printJobNotFound } from '../print-job-not-found.ts'

/** DELETE /print/jobs/{jobId}: spec: only a print job in PENDING can be deleted. */
export function deletePrintJob(api: Api, { db }: { db: Db }): void {
  api.route({
    method: 'DELETE',
    url: '/print-request/v1/print/jobs/:jobId',
    schema: {
      summary: 'Delete a pending print job',
      params: jobIdParamsSchema,
      response: { 204: z.null().describe('Deleted') },
    },
    handler: async (request, reply) => {
      const { jobId } = request.params
      switch (await deleteStored(db, request.caller.consumerId, jobId)) {
        case 'deleted':
          return reply.code(204).send(null)
        case 'absent':
          throw printJobNotFound(jobId)
        case 'not-pending':
          throw new Problem(
            'print-job-not-pending',
            `The print job ${jobId} is not pending, so it cannot be deleted.`,
          )
      }
    },
  })
}
