import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

export type PageOptions = {
  status?: PrintJobStatus | undefined
  consumerId?: string | undefined
  /** The key at which the previous page ended. */
  before?: string | undefined
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

/** Reads a page of the print jobs of a query (`among`), newest first. */
export async function readPage<Listed extends { key: string }>(
  db: Db,
  { status, consumerId, before, jobsMax }: PageOptions,
  { columns, among, says = sql`true` }: Listing & { among: RawBuilder<unknown> },
): Promise<PrintJobPage<Listed>> {
  const conditions = [
    says,
    status !== undefined && sql`job.status = ${status}`,
    consumerId !== undefined && sql`job.consumer_id = ${consumerId}`,
    before !== undefined && sql`job.key < ${before}`,
  ].filter((condition) => condition !== false)
  const { rows } = await sql<Listed>`
    select ${columns} from (
      select job.* from (${among} offset 0) job where ${sql.join(conditions, sql` and `)}
      order by job.key desc limit ${jobsMax}
    ) job join consumer on consumer.id = job.consumer_id
    order by job.key desc`.execute(db)
  return { printJobs: rows, nextBefore: rows.length === jobsMax ? rows.at(-1)?.key : undefined }
}

type Scan = Listing & {
  /** A condition of an index on the key. */
  where?: RawBuilder<unknown>
  /** The number of print jobs that the page reads. */
  lookedThroughMax: number
}

/** Reads a page by looking through the next print jobs one by one. */
export async function scanNewest<Listed extends { key: string }>(
  db: Db,
  page: PageOptions,
  { where = sql`true`, lookedThroughMax, ...listing }: Scan,
): Promise<PrintJobPage<Listed>> {
  const onwards = page.before === undefined ? sql`` : sql`and key < ${page.before}`
  const among = sql`
    select * from print_job where ${where} ${onwards} order by key desc limit ${lookedThroughMax}`
  const found = await readPage<Listed>(db, page, { ...listing, among })
  if (found.nextBefore !== undefined) return found
  const { rows } = await sql<{ key: string }>`
    select key from print_job where ${where} ${onwards} order by key desc
    offset ${lookedThroughMax - 1} limit 1`.execute(db)
  return { ...found, nextBefore: rows[0]?.key }
}

/**
 * Merges two pages of different print jobs. Only the part that both pages cover counts: the next page finds those
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

/** The condition of print jobs in a status that is not final. */
export const isInLive = (status: PrintJobStatus) =>
  sql`${isLive} and deleted_at is null and status = ${status}`

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
