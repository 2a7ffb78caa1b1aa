import type { SearchHasherSource } from '@despatch/access/search-terms'
import {
  renderListedPrintJob,
  type StoredPrintJobSummary,
} from '@despatch/contracts/administration/print-job'
import { listPrintJobs as operation } from '@despatch/contracts/administration/print-job-operations'
import { isFinal } from '@despatch/domain/print-job/status'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import {
  isHeld,
  isInLive,
  isRare,
  type PageOptions,
  type PrintJobPage,
  readPage,
  scanNewest,
} from '@despatch/store/print-job/pages'
import { type RawBuilder, sql } from 'kysely'
import { listedColumns } from '../print-job/details.ts'
import { findPrintJobs } from '../print-job/find-print-jobs.ts'

/** POST /print-jobs/search: lists print jobs of all consumers that match the filters, newest first. */
export function listPrintJobs(
  api: Api,
  { db, searchHasher }: { db: Db; searchHasher: SearchHasherSource },
): void {
  api.route({
    ...operation,
    handler: async ({ body: { cursor, limit, find, ...filters } }) => {
      const page = { ...filters, before: cursor, jobsMax: limit }
      const { isIndexing, printJobs, nextBefore } =
        find === undefined
          ? { isIndexing: false, ...(await searchPrintJobs(db, page)) }
          : await findPrintJobs(db, await searchHasher(), { ...page, find })
      return {
        printJobs: printJobs.map(renderListedPrintJob),
        ...(nextBefore !== undefined && { nextCursor: nextBefore }),
        ...(isIndexing && { isIndexing }),
      }
    },
  })
}

export type PrintJobSearch = PageOptions & {
  only?: 'parked' | 'held' | 'failing' | undefined
  /** The number of print jobs, from the cursor on, that a search without an index reads. */
  lookedThroughMax?: number
  /** A list of more print jobs than this number is read as a search without an index. */
  rareMax?: number
}

/** How many print jobs a page without an index reads, so that a list is fast. */
const listedThroughMax = 20_000

/** The print jobs of an index are sorted by key, which takes too long for more than this number. */
const rareJobsMax = 10_000

/**
 * Lists print jobs of all consumers, newest first. Searches that have an index cover all print jobs: live, held, parked
 * or failing ones. Searches for ended print jobs read a limited stretch of the newest print jobs per page: an index for
 * them would have to be written with each step of each print job. So do lists of live, held, parked or failing print
 * jobs if they are many.
 */
export async function searchPrintJobs(
  db: Db,
  { lookedThroughMax = listedThroughMax, rareMax = rareJobsMax, ...search }: PrintJobSearch,
): Promise<PrintJobPage<StoredPrintJobSummary>> {
  const says = conditionOf(search)
  const columns = listedColumns
  if (!hasIndex(search)) return scanNewest(db, search, { columns, says, lookedThroughMax })
  if (await isRare(db, says, rareMax)) {
    return readPage(db, search, { columns, among: sql`select * from print_job where ${says}` })
  }
  return (await hasAny(db, search))
    ? scanNewest(db, search, { columns, says, lookedThroughMax })
    : { printJobs: [], nextBefore: undefined }
}

/** The print jobs that a list contains. Repeats the condition of its index. */
function conditionOf({ only, status }: PrintJobSearch): RawBuilder<unknown> {
  switch (only) {
    case 'parked':
      return sql`parked_at is not null and deleted_at is null`
    case 'held':
      return isHeld
    case 'failing':
      // such a letter waits in the lane of slow letters, or a worker has it
      return sql`parked_at is null and step_failures > 0 and deleted_at is null
        and key = any (array (
          select print_job_key from work_waiting where lane = 'slow'
          union all select print_job_key from work_later where lane = 'slow'
          union all select unnest(print_job_keys) from work_batch where lane = 'slow'
          union all select key from print_job where next_check_at is not null and parked_at is null))`
  }
  return status === undefined || isFinal(status) ? sql`true` : isInLive(status)
}

function hasIndex({ only, status }: PrintJobSearch): boolean {
  return only !== undefined || (status !== undefined && !isFinal(status))
}

/** Whether the consumer has print jobs in the status. True if the search names no consumer or no status. */
async function hasAny(db: Db, { consumerId, status }: PrintJobSearch): Promise<boolean> {
  if (consumerId === undefined || status === undefined) return true
  const { rows } = await sql`
    select from current_count
    where what = 'print_job' and state = ${status}
      and subject = any (array (select id::text from contract where consumer_id = ${consumerId}))
    having sum(count) > 0`.execute(db)
  return rows.length > 0
}
