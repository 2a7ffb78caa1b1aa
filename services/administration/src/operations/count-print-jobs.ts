import { countPrintJobs as operation } from '@despatch/contracts/administration/print-job-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { filtersOf } from '../print-job/filters.ts'
import { findPrintJobs } from '../print-job/find-print-jobs.ts'
import {
  areRare,
  chooseStretch,
  conditionsOf,
  countByStatus,
  hasFilter,
  listedThroughMax,
  type PrintJobSearch,
  rareJobsMax,
  type SearchLimits,
} from '../print-job/search-print-jobs.ts'
import type { SearchPrintJobsContext } from './list-print-jobs.ts'

const foundMax = 1_000

/** POST /print-jobs/count: counts the print jobs that a search finds. */
export function countPrintJobs(api: Api, { db, searchHasher }: SearchPrintJobsContext): void {
  api.route({
    ...operation,
    handler: async ({ body: { find, ...filters } }) => {
      const search = filtersOf(filters)
      if (find === undefined) return countSearched(db, search)
      const { printJobs, nextBefore } = await findPrintJobs<{ key: string }>(
        db,
        await searchHasher(),
        {
          ...{ find, consumerId: filters.consumerId, jobsMax: foundMax, columns: sql`job.key` },
          says: hasFilter(search) ? (await conditionsOf(db, search)).says : undefined,
        },
      )
      return { count: printJobs.length, isAtLeast: nextBefore !== undefined }
    },
  })
}

export type PrintJobCount = {
  count: number
  /** There may be more: a bounded number was read. */
  isAtLeast: boolean
}

/** Counts print jobs: by kept counts if only statuses and the consumer matter, otherwise a bounded number. */
export async function countSearched(
  db: Db,
  search: Omit<PrintJobSearch, 'jobsMax'>,
  limits: SearchLimits = {},
): Promise<PrintJobCount> {
  const { lookedThroughMax = listedThroughMax, rareMax = rareJobsMax, at } = limits
  const { consumerId, statuses, ...others } = search
  if (statuses && !hasFilter(others)) {
    return { count: await countByStatus(db, { consumerId, statuses }), isAtLeast: false }
  }
  const conditions = await conditionsOf(db, search, at)
  const { says, keys } = conditions
  const ofConsumer = consumerId === undefined ? sql`true` : sql`job.consumer_id = ${consumerId}`
  const isRare = keys && (await areRare(db, keys, rareMax))
  const readMax = lookedThroughMax + 1
  // as `searchPrintJobs` reads them
  const among = isRare
    ? sql`select * from print_job where key = any (array (${keys}))`
    : sql`select * from print_job job where ${await chooseStretch(db, conditions, { ...limits, lookedThroughMax: readMax })}
        order by key desc limit ${readMax}`
  const { rows } = await sql<{ count: number; read: number }>`
    select count(*) filter (where ${ofConsumer} and ${says}) as count, count(*) as read
    from (${among}) job`.execute(db)
  const { count, read } = rows[0]!
  const isPart = !isRare && read === readMax
  return { count: Math.min(count, rareMax), isAtLeast: isPart || count > rareMax }
}
