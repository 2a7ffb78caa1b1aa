import { isFinal, type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import type { Db } from '@despatch/store/database'
import {
  isHeld,
  isInLive,
  type PageOptions,
  type PrintJobPage,
  readPage,
  scanPage,
} from '@despatch/store/print-job/pages'
import { type Deadlines, readDeadlines } from '@despatch/store/print-run/due-runs'
import { type RawBuilder, sql } from 'kysely'
import { type FoundPrintJob, listedColumns } from './details.ts'
import { dueKeys, isInRange, matches, type PrintJobFilters } from './filters.ts'
import { type Late, lateLetters } from './late.ts'

export type PrintJobSearch = Omit<PageOptions, 'status'> &
  PrintJobFilters & {
    only?: 'parked' | 'held' | 'failing' | Late | undefined
  }

export type SearchLimits = {
  /** The number of print jobs, from the cursor on, that a search without an index reads. */
  lookedThroughMax?: number
  /** A list of more print jobs than this number is looked through. */
  rareMax?: number
  /** If a list has more print jobs than this number, a page looks through the next ones of all print jobs instead. */
  sortedMax?: number
  /** The time that decides which print jobs are due today. By default, the database's time. */
  at?: Date
}

const openStatuses = printJobStatuses.filter((status) => !isFinal(status))

/** How many print jobs a page without an index reads, so that a list is fast. */
export const listedThroughMax = 20_000

/** All print jobs of a list are read for a page, with their columns, unless they are more than this number. */
export const rareJobsMax = 10_000

/**
 * The keys of a list are sorted for a page unless they are more than this number, because that takes most of a second.
 * It may take some seconds for the oldest, because the oldest of all print jobs have mostly ended.
 */
const sortedJobsMax = { newest: 200_000, oldest: 2_000_000 }

/**
 * Lists print jobs of all consumers in the order of their acceptance. Searches that have an index cover all print jobs:
 * live, held, parked, failing, late or due ones. Searches for ended print jobs read a limited stretch of the newest
 * print jobs per page: an index for them would have to be written with each step of each print job. So do lists of very
 * many live, held, parked, failing, late or due print jobs.
 */
export async function searchPrintJobs(
  db: Db,
  search: PrintJobSearch,
  limits: SearchLimits = {},
): Promise<PrintJobPage<FoundPrintJob>> {
  const { lookedThroughMax = listedThroughMax, rareMax = rareJobsMax, at } = limits
  const { says, keys, where } = await conditionsOf(db, search, at)
  const columns = listedColumns
  if (keys) {
    if (await areRare(db, keys, rareMax)) {
      const among = sql`select * from print_job where key = any (array (${keys}))`
      return readPage(db, search, { columns, among, says })
    }
    if (!(await hasAny(db, search))) return { printJobs: [], nextBefore: undefined }
  }
  const scan = { columns, says, lookedThroughMax }
  const page = await scanPage<FoundPrintJob>(db, search, { ...scan, where })
  if (page.printJobs.length === search.jobsMax || page.nextBefore === undefined) return page
  const isNext = keys && (await findNext(db, { ...search, keys }, limits))
  return isNext ? scanPage(db, search, { ...scan, where: isNext }) : page
}

type Listed = Pick<PrintJobSearch, 'before' | 'isOldestFirst'> & { keys: RawBuilder<unknown> }

/**
 * Returns a condition on the keys of `job`: the next ones of a list, in the order of the search, to look through.
 * Undefined: the list has too many to be sorted.
 */
export async function findNext(
  db: Db,
  { keys, before, isOldestFirst = false }: Listed,
  { lookedThroughMax = listedThroughMax, sortedMax }: SearchLimits,
): Promise<RawBuilder<unknown> | undefined> {
  const max = sortedMax ?? sortedJobsMax[isOldestFirst ? 'oldest' : 'newest']
  if (!(await areRare(db, keys, max))) return undefined
  const [order, onwards] = isOldestFirst ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const isOnwards = before === undefined ? sql`true` : sql`key ${onwards} ${before}`
  return sql`job.key = any (array (
    select distinct key from (${keys}) listed where ${isOnwards} order by key ${order} limit ${lookedThroughMax}))`
}

type SearchConditions = {
  /** Condition on `job`: it is in the list. */
  says: RawBuilder<unknown>
  /** Keys in range of the list's print jobs, and perhaps of others, by an index. Undefined: no index has them. */
  keys: RawBuilder<unknown> | undefined
  /** Condition on the keys of `job`. */
  where: RawBuilder<unknown>
}

/** Returns how to find the print jobs of a search, except for its consumer and its cursor. */
export async function conditionsOf(
  db: Db,
  search: Omit<PrintJobSearch, 'jobsMax'>,
  at?: Date,
): Promise<SearchConditions> {
  const deadlines = await readDeadlinesFor(db, search, at)
  const filter = matches(search, deadlines ?? { letterClasses: [] })
  const { says, keys } = listOf(search, deadlines)
  const where = isInRange(search)
  const inRange = keys && sql`select key from (${keys}) job where ${where}`
  return { says: sql`${says} and ${filter}`, keys: inRange, where }
}

/** Whether a search has a filter besides its consumer. */
export function hasFilter(search: Omit<PrintJobSearch, 'jobsMax'>): boolean {
  const { only, statuses, rule, createdFrom, createdTo, dueFrom, dueTo } = search
  return [only, statuses, rule, createdFrom, createdTo, dueFrom, dueTo].some(
    (filter) => filter !== undefined,
  )
}

async function readDeadlinesFor(
  db: Db,
  { only, dueFrom, dueTo }: Omit<PrintJobSearch, 'jobsMax'>,
  at: Date | undefined,
): Promise<Deadlines | undefined> {
  const isNeeded = dueFrom !== undefined || dueTo !== undefined || isLate(only)
  return isNeeded ? readDeadlines(db, at) : undefined
}

function isLate(only: PrintJobSearch['only']): only is Late {
  return only === 'at-risk' || only === 'overdue'
}

/** The print jobs that a list contains. Repeats the condition of its index. */
function listOf(
  { only, statuses, ...due }: Omit<PrintJobSearch, 'jobsMax'>,
  deadlines: Deadlines | undefined,
): Pick<SearchConditions, 'says' | 'keys'> {
  if (isLate(only)) return lateLetters(only, deadlines!)
  const says = conditionOf(only, statuses)
  if (only === undefined && (due.dueFrom !== undefined || due.dueTo !== undefined)) {
    return { says: says ?? sql`true`, keys: dueKeys(due, deadlines!) }
  }
  return { says: says ?? sql`true`, keys: says && sql`select key from print_job job where ${says}` }
}

/** Undefined: no index has these print jobs. */
function conditionOf(
  only: 'parked' | 'held' | 'failing' | undefined,
  statuses: readonly PrintJobStatus[] | undefined,
): RawBuilder<unknown> | undefined {
  switch (only) {
    case 'parked':
      return sql`job.parked_at is not null and job.deleted_at is null`
    case 'held':
      return isHeld
    case 'failing':
      // such a letter waits in the lane of slow letters, or is in a batch of it
      return sql`job.parked_at is null and job.step_failures > 0 and job.deleted_at is null
        and job.key = any (array (
          select subject from letter_waiting where lane = 'slow'
          union all select subject from letter_later where lane = 'slow'
          union all select unnest(subjects) from letter_batch where lane = 'slow'))`
  }
  return statuses?.every((status) => !isFinal(status)) ? isInLive(statuses) : undefined
}

/** Returns the conditions of the print jobs of a search that have not ended. */
export function openConditionsOf(
  db: Db,
  { statuses = openStatuses, ...search }: Omit<PrintJobSearch, 'jobsMax'>,
): Promise<SearchConditions> {
  const open = statuses.filter((status) => !isFinal(status))
  return conditionsOf(db, { ...search, statuses: open })
}

/** Returns the keys of the print jobs of a search that have not ended, newest first, but no more than `keysMax`. */
export async function listOpenKeys(
  db: Db,
  search: Omit<PrintJobSearch, 'jobsMax'>,
  keysMax: number,
): Promise<string[]> {
  const { says, keys } = await openConditionsOf(db, search)
  const ofConsumer =
    search.consumerId === undefined ? sql`true` : sql`job.consumer_id = ${search.consumerId}`
  const { rows } = await sql<{ key: string }>`
    select job.key from print_job job
    where job.key in (${keys!}) and ${ofConsumer} and ${says}
    order by job.key desc limit ${keysMax}`.execute(db)
  return rows.map(({ key }) => key)
}

/** Whether a query has at most `rareMax` keys. Reads no more than one further. */
export async function areRare(
  db: Db,
  keys: RawBuilder<unknown>,
  rareMax: number,
): Promise<boolean> {
  const { rows } = await sql`select from (${keys}) rare offset ${rareMax} limit 1`.execute(db)
  return rows.length === 0
}

/** Whether the consumer has print jobs in the statuses. True if the search names no consumer or no status. */
export async function hasAny(
  db: Db,
  { consumerId, statuses }: Omit<PrintJobSearch, 'jobsMax'>,
): Promise<boolean> {
  if (consumerId === undefined || statuses === undefined) return true
  return (await countByStatus(db, { consumerId, statuses })) > 0
}

/** Returns the kept count of print jobs of a consumer or of all. Like `matches`, it excludes deleted ones. */
export async function countByStatus(
  db: Db,
  {
    consumerId,
    statuses,
  }: { consumerId?: string | undefined; statuses: readonly PrintJobStatus[] },
): Promise<number> {
  const ofConsumer =
    consumerId === undefined
      ? sql``
      : sql`and subject = any (array (select id::text from contract where consumer_id = ${consumerId}))`
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::bigint as count from current_count
    where what = 'print_job' and state = any (${statuses}::text[]) ${ofConsumer}`.execute(db)
  return rows[0]!.count
}
