import type { StoredPrintJobSummary } from '@despatch/contracts/administration/print-job'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Db } from '@despatch/store/database'
import { type RawBuilder, sql } from 'kysely'
import { listedColumns } from './details.ts'

export type PageOptions = {
  status?: PrintJobStatus | undefined
  consumerId?: string | undefined
  /** The key at which the previous page ended. */
  before?: string | undefined
  jobsMax: number
}

export type PrintJobPage = {
  printJobs: StoredPrintJobSummary[]
  /** Where the next page begins. A page may end, even without a print job, before all were searched. */
  nextBefore: string | undefined
}

/** Reads a page of the print jobs of a query, newest first. `says` is a further condition on `job`. */
export async function readPage(
  db: Db,
  { status, consumerId, before, jobsMax }: PageOptions,
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

type Scan = {
  /** A condition of an index on the key. */
  where?: RawBuilder<unknown>
  says?: RawBuilder<unknown>
  /** The number of print jobs that the page reads. */
  lookedThroughMax: number
}

/** Reads a page by looking through the next print jobs one by one. */
export async function scanNewest(
  db: Db,
  page: PageOptions,
  { where = sql`true`, says = sql`true`, lookedThroughMax }: Scan,
): Promise<PrintJobPage> {
  const onwards = page.before === undefined ? sql`` : sql`and key < ${page.before}`
  const stretch = sql`
    select * from print_job where ${where} ${onwards} order by key desc limit ${lookedThroughMax}`
  const found = await readPage(db, page, stretch, says)
  if (found.nextBefore !== undefined) return found
  const { rows } = await sql<{ key: string }>`
    select key from print_job where ${where} ${onwards} order by key desc
    offset ${lookedThroughMax - 1} limit 1`.execute(db)
  return { ...found, nextBefore: rows[0]?.key }
}
