import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

export type PageOptions = {
  status?: PrintJobStatus | undefined
  consumerId?: string | undefined
  /** The key at which the previous page ended. */
  before?: string | undefined
  /** Otherwise newest first. Then `before` is the key after which the page begins. */
  isOldestFirst?: boolean | undefined
  jobsMax: number
}

export type PrintJobPage<Listed> = {
  printJobs: Listed[]
  /** Where the next page begins. A page may end, even without a print job, before all were searched. */
  nextBefore: string | undefined
}

type Listing = {
  /** Columns of `job` (a print job) and `consumer`, among them `job.key`. */
  columns: RawBuilder<unknown>
  /** A further condition on `job`. */
  says?: RawBuilder<unknown>
}

/** Reads a page of the print jobs of a query (`among`). */
export async function readPage<Listed extends { key: string }>(
  db: Db,
  page: PageOptions,
  { columns, among, says }: Listing & { among: RawBuilder<unknown> },
): Promise<PrintJobPage<Listed>> {
  const { jobsMax } = page
  const { order } = orderOf(page)
  const { rows } = await sql<Listed>`
    select ${columns} from (
      select job.* from (${among} offset 0) job where ${conditionsOf(page, says)}
      order by job.key ${order} limit ${jobsMax}
    ) job join consumer on consumer.id = job.consumer_id
    order by job.key ${order}`.execute(db)
  return { printJobs: rows, nextBefore: rows.length === jobsMax ? rows.at(-1)?.key : undefined }
}

function orderOf({ isOldestFirst = false }: PageOptions) {
  return isOldestFirst
    ? { order: sql`asc`, reverse: sql`desc`, onwards: sql`>` }
    : { order: sql`desc`, reverse: sql`asc`, onwards: sql`<` }
}

/** Joins the conditions. The cheapest come first, because PostgreSQL stops at the first that is false. */
function conditionsOf(
  page: PageOptions,
  says: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const { status, consumerId, before } = page
  const conditions = [
    consumerId !== undefined && sql`job.consumer_id = ${consumerId}`,
    status !== undefined && sql`job.status = ${status}`,
    before !== undefined && sql`job.key ${orderOf(page).onwards} ${before}`,
    says,
  ].filter((condition) => condition !== false)
  return sql.join(conditions, sql` and `)
}

type Scan = Listing & {
  /** A condition of an index on the key. */
  where?: RawBuilder<unknown>
  /** The number of print jobs that the page reads. */
  lookedThroughMax: number
}

/**
 * Reads a page by looking through the next print jobs one by one: first only which ones meet the conditions and where
 * the page ends, then the columns of those.
 */
export async function scanPage<Listed extends { key: string }>(
  db: Db,
  page: PageOptions,
  { where = sql`true`, lookedThroughMax, ...listing }: Scan,
): Promise<PrintJobPage<Listed>> {
  const { order, reverse, onwards } = orderOf(page)
  const from = page.before === undefined ? sql`` : sql`and key ${onwards} ${page.before}`
  // Both parts read the rows in order and on demand: a page that fills early looks no further.
  const { rows } = await sql<{ keys: string[]; endsAt: string | null }>`
    with looked as materialized (
      select key, ${conditionsOf(page, listing.says)} as "isFound" from print_job job
      where ${where} ${from} order by key ${order} limit ${lookedThroughMax}
    ), found as materialized (
      select key from looked where "isFound" limit ${page.jobsMax}
    )
    select coalesce((select array_agg(key) from found), '{}') as keys,
      case when (select count(*) from found) = ${page.jobsMax} then (select key from found order by key ${reverse} limit 1)
        else (select key from looked offset ${lookedThroughMax - 1} limit 1) end as "endsAt"`.execute(
    db,
  )
  const { keys, endsAt } = rows[0]!
  const among = sql`select * from print_job where key = any (${keys}::uuid[])`
  const { printJobs } = await readPage<Listed>(db, page, { ...listing, among })
  return { printJobs, nextBefore: endsAt ?? undefined }
}

/**
 * Merges two pages of different print jobs, newest first. Only the part that both pages cover counts: the next page finds those
 * beyond its beginning again.
 */
export function mergePages<Listed extends { key: string }>(
  one: PrintJobPage<Listed>,
  other: PrintJobPage<Listed>,
  jobsMax: number,
): PrintJobPage<Listed> {
  const endsAt = [one, other]
    .flatMap(({ nextBefore }) => nextBefore ?? [])
    .toSorted()
    .at(-1)
  const printJobs = [...one.printJobs, ...other.printJobs]
    .filter(({ key }) => endsAt === undefined || key >= endsAt)
    .toSorted((a, b) => (a.key < b.key ? 1 : -1))
  if (printJobs.length <= jobsMax) return { printJobs, nextBefore: endsAt }
  return { printJobs: printJobs.slice(0, jobsMax), nextBefore: printJobs[jobsMax - 1]!.key }
}

const isLive = sql`status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION')`

/** The condition of held print jobs. Like `isInLive`, repeats that of its index: PostgreSQL would not use it otherwise. */
export const isHeld = sql`held_at is not null and deleted_at is null and ${isLive}`

/** The condition of print jobs in one of these statuses, none of them final. */
export const isInLive = (statuses: readonly PrintJobStatus[]) =>
  sql`${isLive} and deleted_at is null and status = any (${statuses}::text[])`

/** Whether at most `rareMax` print jobs meet a condition, which has an index. Reads no more than one further. */
export async function isRare(
  db: Db,
  condition: RawBuilder<unknown>,
  rareMax: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from print_job where ${condition} offset ${rareMax} limit 1`.execute(db)
  return rows.length === 0
}
