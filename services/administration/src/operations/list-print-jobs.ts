import type { SearchHasherSource } from '@despatch/access/search-terms'
import { listPrintJobs as operation } from '@despatch/contracts/administration/print-job-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { addDue } from '../print-job/due.ts'
import { filtersOf } from '../print-job/filters.ts'
import { findPrintJobs } from '../print-job/find-print-jobs.ts'
import { conditionsOf, hasFilter, searchPrintJobs } from '../print-job/search-print-jobs.ts'

export type SearchPrintJobsContext = { db: Db; searchHasher: SearchHasherSource }

/** POST /print-jobs/search: lists print jobs of all consumers that match the filters. */
export function listPrintJobs(api: Api, { db, searchHasher }: SearchPrintJobsContext): void {
  api.route({
    ...operation,
    handler: async ({ body: { cursor, limit, order, find, ...filters } }) => {
      const page = { before: cursor, jobsMax: limit }
      const search = { ...filtersOf(filters), ...page, isOldestFirst: order === 'oldest' }
      const { isIndexing, printJobs, nextBefore } =
        find === undefined
          ? { isIndexing: false, ...(await searchPrintJobs(db, search)) }
          : await findPrintJobs(db, await searchHasher(), {
              ...page,
              find,
              consumerId: filters.consumerId,
              says: hasFilter(search) ? (await conditionsOf(db, search)).says : undefined,
            })
      return {
        printJobs: await addDue(db, printJobs),
        ...(nextBefore !== undefined && { nextCursor: nextBefore }),
        ...(isIndexing && { isIndexing }),
      }
    },
  })
}
