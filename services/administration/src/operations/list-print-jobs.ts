import { renderListedPrintJob } from '@despatch/contracts/administration/print-job'
import { listPrintJobs as operation } from '@despatch/contracts/administration/print-job-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { searchPrintJobs } from '@despatch/store/print-job/search'

/** POST /print-jobs/search: lists print jobs of all consumers that match the filters, newest first. */
export function listPrintJobs(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body: { cursor, limit, ...search } }) => {
      const page = { ...search, before: cursor, jobsMax: limit }
      const { printJobs, nextBefore } = await searchPrintJobs(db, page)
      return {
        printJobs: printJobs.map(renderListedPrintJob),
        ...(nextBefore !== undefined && { nextCursor: nextBefore }),
      }
    },
  })
}
