import {
  renderListedPrintJob,
  type StoredPrintJobSummary,
} from '@despatch/contracts/administration/print-job'
import { listPrintJobs as operation } from '@despatch/contracts/administration/print-job-operations'
import { normalisePostcode } from '@despatch/domain/address/postcode'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { type RawBuilder, sql } from 'kysely'
import { listedColumns } from '../print-job/details.ts'

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

export type PrintJobSearch = {
  /** An id of any kind, a business identifier or a postcode. */
  find?: string | undefined
  status?: PrintJobStatus | undefined
  consumerId?: string | undefined
  only?: 'parked' | 'held' | 'failing' | undefined
  /** The key at which the previous page ended. */
  before?: string | undefined
  jobsMax: number
  /** The number of print jobs, from the cursor on, that a search without an index reads. */
  lookedThroughMax?: number
}

type PrintJobPage = {
  printJobs: StoredPrintJobSummary[]
  /** Where the next page begins. A page may end, even without a print job, before all were searched. */
  nextBefore: string | undefined
}

/**
 * How many print jobs a page without an index reads. A list must be fast; a search for one print job may take most of a
 * second.
 */
const listedThroughMax = 20_000
const searchedThroughMax = 100_000

/**
 * Finds print jobs of all consumers, newest first. Searches that have an index cover all print jobs: ids, print runs,
 * and live, held, parked or failing print jobs. Searches for business identifiers, correlation ids, postcodes and ended
 * print jobs read a limited stretch of the newest print jobs per page: an index for them would have to be written with
 * each step of each print job.
 */
export async function searchPrintJobs(db: Db, search: PrintJobSearch): Promise<PrintJobPage> {
  const { find } = search
  if (find !== undefined) {
    const named = await readPage(db, search, sql`select * from print_job where ${isNamed(find)}`)
    if (named.printJobs.length > 0) return named
    return scanNewest(db, search, says(find))
  }
  const indexed = indexedBy(search)
  return indexed ? readPage(db, search, indexed) : scanNewest(db, search, sql`true`)
}

async function readPage(
  db: Db,
  { status, consumerId, before, jobsMax }: PrintJobSearch,
  among: RawBuilder<unknown>,
  says = sql`true`,
): Promise<PrintJobPage> {
  const conditions = [
    says,
    status !== undefined && sql`job.status = ${status}`,
    consumerId !== undefined && sql`job.consumer_id = ${consumerId}`,
    before !== undefined && sql`job.key < ${before}`,
  ].filter((condition) => condition !== false)
  const { rows } = await sql<StoredPrintJobSummary>`
    select ${listedColumns} from (
      select job.* from (${among} offset 0) job where ${sql.join(conditions, sql` and `)}
      order by job.key desc limit ${jobsMax}
    ) job join consumer on consumer.id = job.consumer_id
    order by job.key desc`.execute(db)
  return { printJobs: rows, nextBefore: rows.length === jobsMax ? rows.at(-1)?.key : undefined }
}

async function scanNewest(
  db: Db,
  search: PrintJobSearch,
  says: RawBuilder<unknown>,
): Promise<PrintJobPage> {
  const { lookedThroughMax = search.find === undefined ? listedThroughMax : searchedThroughMax } =
    search
  const onwards = search.before === undefined ? sql`` : sql`where key < ${search.before}`
  const stretch = sql`select * from print_job ${onwards} order by key desc limit ${lookedThroughMax}`
  const page = await readPage(db, search, stretch, says)
  if (page.nextBefore !== undefined) return page
  const { rows } = await sql<{ key: string }>`
    select key from print_job ${onwards} order by key desc
    offset ${lookedThroughMax - 1} limit 1`.execute(db)
  return { ...page, nextBefore: rows[0]?.key }
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Looks up each consumer in turn, because the index on print job ids begins with the consumer's id. */
function isNamed(name: string) {
  const byUuid = sql`
    union all select key from print_job where key = ${name}
    union all select print_job_key from callback where id = ${name}`
  return sql`key = any (array (
    select job.key from consumer cross join lateral (
      select key from print_job where consumer_id = consumer.id and print_job.id = ${name} offset 0) job
    union all select print_job_key from print_run_document where document_id = ${name}
    union all select print_job_key from print_run_document where batch_number = ${name} and removed_at is null
    ${uuidPattern.test(name) ? byUuid : sql``}))`
}

function says(find: string): RawBuilder<unknown> {
  const postcode = normalisePostcode(find)
  return sql`(job.correlation_id = ${find} or job.purge_began_at is null
    and (job.standard_params ->> 'businessIdentifier' = ${find}
      ${postcode === undefined ? sql`` : sql`or ${hasPostcode(postcode)}`}))`
}

/** Matches the postcode of the letter and, if an operator has corrected the address, the submitted postcode too. */
function hasPostcode(postcode: string): RawBuilder<unknown> {
  const submitted = sql`jsonb_path_query_first(job.standard_params, '$.address.*.postcode') #>> '{}'`
  return sql`job.printable_address ->> 'postcode' = ${postcode}
    or job.address_override is not null and upper(replace(${submitted}, ' ', '')) = ${postcode.replace(' ', '')}`
}

/**
 * Returns the query for a search that has an index of its own. These print jobs are few. Each query repeats the
 * condition of its index; otherwise PostgreSQL would not use it.
 */
function indexedBy({ only, status }: PrintJobSearch): RawBuilder<unknown> | undefined {
  switch (only) {
    case 'parked':
      return sql`select * from print_job where parked_at is not null and deleted_at is null`
    case 'held':
      return sql`select * from print_job where held_at is not null and deleted_at is null
        and status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION')`
    case 'failing':
      // such a letter waits in the lane of slow letters, or a worker has it
      return sql`select * from print_job where parked_at is null and step_failures > 0 and deleted_at is null
        and key = any (array (
          select print_job_key from work_waiting where lane = 'slow'
          union all select print_job_key from work_later where lane = 'slow'
          union all select unnest(print_job_keys) from work_batch where lane = 'slow'
          union all select key from print_job where next_check_at is not null and parked_at is null))`
  }
  if (status === undefined || status === 'DESPATCHED' || status === 'REJECTED') return undefined
  return sql`select * from print_job where status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION')
    and deleted_at is null and status = ${status}`
}
