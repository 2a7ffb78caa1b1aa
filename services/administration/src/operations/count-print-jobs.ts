import type { SearchHasher } from '@despatch/access/search-terms'
import { countPrintJobs as operation } from '@despatch/contracts/administration/print-job-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { type RawBuilder, sql } from 'kysely'
import { filtersOf } from '../print-job/filters.ts'
import { findPrintJobs } from '../print-job/find-print-jobs.ts'
import {
  areRare,
  conditionsOf,
  countByStatus,
  findNext,
  hasAny,
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
      return find === undefined
        ? countSearched(db, search)
        : countFound(db, await searchHasher(), { ...search, find })
    },
  })
}

type PrintJobCount = {
  count: number
  /** There may be more: a bounded number was read. */
  isAtLeast: boolean
}

/** Counts the print jobs that a text finds, up to a page of them. */
export async function countFound(
  db: Db,
  hasher: SearchHasher | undefined,
  { find, ...search }: Omit<PrintJobSearch, 'jobsMax'> & { find: string },
): Promise<PrintJobCount> {
  const { printJobs, nextBefore, isIndexing } = await findPrintJobs<{ key: string }>(db, hasher, {
    find,
    consumerId: search.consumerId,
    jobsMax: foundMax,
    columns: sql`job.key`,
    says: hasFilter(search) ? (await conditionsOf(db, search)).says : undefined,
  })
  return { count: printJobs.length, isAtLeast: nextBefore !== undefined || isIndexing }
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
  const { says, keys, where } = await conditionsOf(db, search, at)
  const ofConsumer = consumerId === undefined ? sql`true` : sql`job.consumer_id = ${consumerId}`
  const countAmong = async (among: RawBuilder<unknown>, readMax: number) => {
    const { rows } = await sql<{ count: number; read: number }>`
      select count(*) filter (where ${ofConsumer} and ${says}) as count, count(*) as read
      from (${among}) job`.execute(db)
    const { count, read } = rows[0]!
    return { count: Math.min(count, rareMax), isAtLeast: read > readMax || count > rareMax }
  }
  const countNewest = (isChosen: RawBuilder<unknown>) =>
    countAmong(
      sql`select * from print_job job where ${isChosen} order by key desc limit ${lookedThroughMax + 1}`,
      lookedThroughMax,
    )
  // as `searchPrintJobs` reads them
  if (keys && (await areRare(db, keys, rareMax))) {
    return countAmong(sql`select * from print_job where key = any (array (${keys}))`, Infinity)
  }
  if (keys && !(await hasAny(db, search))) return { count: 0, isAtLeast: false }
  const newest = await countNewest(where)
  if (!keys || !newest.isAtLeast || newest.count === rareMax) return newest
  const limitsOfList = { ...limits, lookedThroughMax: lookedThroughMax + 1 }
  const isListed = await findNext(db, { keys }, limitsOfList)
  return isListed ? countNewest(isListed) : newest
}
