import type { SearchHasherSource } from '@despatch/access/search-terms'
import { renderListedPrintJob } from '@despatch/contracts/print-request/listed-print-job'
import { listPrintJobs as operation } from '@despatch/contracts/print-request/operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { listOwnPrintJobs } from '../list-own-print-jobs.ts'

/** GET /print/jobs: lists the consumer's own print jobs, newest first. An addition to the specification. */
export function listPrintJobs(
  api: Api,
  { db, searchHasher }: { db: Db; searchHasher: SearchHasherSource },
): void {
  api.route({
    ...operation,
    handler: async ({ caller: { consumerId }, query }, reply) => {
      const { cursor, limit, createdFrom, createdTo, ...filters } = query
      const { printJobs, nextBefore } = await listOwnPrintJobs(db, searchHasher, {
        ...filters,
        consumerId,
        createdFrom: createdFrom === undefined ? undefined : new Date(createdFrom),
        createdTo: createdTo === undefined ? undefined : new Date(createdTo),
        before: cursor,
        jobsMax: limit,
      })
      reply.header('cache-control', 'no-store')
      return {
        printJobs: printJobs.map(renderListedPrintJob),
        ...(nextBefore !== undefined && { nextCursor: nextBefore }),
      }
    },
  })
}
