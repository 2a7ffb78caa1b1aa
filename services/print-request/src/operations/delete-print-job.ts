import { deletePrintJob as operation } from '@despatch/contracts/print-request/operations'
import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import { printJobNotFound, printJobNotPending } from '@despatch/contracts/print-request/problems'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'

/** DELETE /print/jobs/{jobId}: deletes a print job. Spec: only a print job in PENDING can be deleted. */
export function deletePrintJob(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { jobId } = request.params
      const outcome = isPrintJobId(jobId)
        ? await savePrintJobDeletion(db, request.caller.consumerId, jobId)
        : 'absent'
      switch (outcome) {
        case 'deleted':
          return reply.code(204).send(null)
        case 'absent':
          throw printJobNotFound(jobId)
        case 'not-pending':
          throw printJobNotPending(jobId, await readStatus(db, request.caller.consumerId, jobId))
      }
    },
  })
}

async function readStatus(db: Db, consumerId: string, id: string): Promise<PrintJobStatus> {
  const { status } = await db
    .selectFrom('print_job')
    .select('status')
    .where('consumer_id', '=', consumerId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return status
}
