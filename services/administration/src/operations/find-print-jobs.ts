import { renderListedPrintJob } from '@despatch/contracts/administration/print-job'
import { findPrintJobs as operation } from '@despatch/contracts/administration/print-job-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findAnyPrintJobs } from '@despatch/store/print-job/find-any'

/** POST /print-jobs/search: lists print jobs of all consumers that match the filters, newest first. */
export function findPrintJobs(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ body: { cursor, limit, ...search } }) => {
      const page = { ...search, before: cursor, jobsMax: limit }
      const { printJobs, nextBefore } = await findAnyPrintJobs(db, page)
      return {
        printJobs: printJobs.map(renderListedPrintJob),
        ...(nextBefore !== undefined && { nextCursor: nextBefore }),
      }
    },
  })
}
