import type { SearchHasher } from '@despatch/access/search-terms'
import { normalisePostcode } from '@despatch/domain/address/postcode'
import type { Db, Tx } from '@despatch/store/database'
import {
  mergePages,
  type PageOptions,
  type PrintJobPage,
  readPage,
  scanPage,
} from '@despatch/store/print-job/pages'
import {
  among,
  type KeySearch,
  listPeriods,
  type Stretch,
  termIn,
  walkKeys,
} from '@despatch/store/print-job/term-walk'
import { readSnapshot } from '@despatch/store/read-snapshot'
import { type RawBuilder, sql } from 'kysely'
import { type FoundPrintJob, listedColumns } from './details.ts'

export type PrintJobFind = Omit<PageOptions, 'status' | 'isOldestFirst'> & {
  /** An id of any kind, a reference, a correlation id, a postcode, or a name with or without a postcode. */
  find: string
  /** A further condition on `job`. */
  says?: RawBuilder<unknown> | undefined
  /** Columns of `job` and `consumer`, among them the key. By default, those of lists. */
  columns?: RawBuilder<unknown>
  /** The number of print jobs without search terms that a page reads. */
  lookedThroughMax?: number
}

type Keyed = { key: string }

type FoundPage<Listed> = PrintJobPage<Listed> & {
  /** True while some print jobs still lack their search terms. */
  isIndexing: boolean
}

/** Reading this many one by one takes most of a second. It is only done while search terms are still to be written. */
const lookedThroughMaxDefault = 100_000
/** If further conditions apply to the print jobs, a page reads this many that have the terms. */
const filteredMax = 500
/**
 * In a search by several words, a page examines this many print jobs that have the rarest word. It examines the second
 * number only if too few of the first have the other words.
 */
const [firstExamined, examinedMax] = [500, 5_000]

/**
 * Finds print jobs of all consumers, newest first: by an id, otherwise by search terms. An id comes first even if no
 * print job that has it meets the further conditions, so that they never add print jobs. Those whose terms are still to
 * be written are found by correlation id, reference and postcode, as written. Without a hasher,
 * all print jobs are found as these. Reads one snapshot, so that a print job whose terms are written meanwhile is found
 * in one way or the other.
 */
export async function findPrintJobs<Listed extends Keyed = FoundPrintJob>(
  db: Db,
  hasher: SearchHasher | undefined,
  find: PrintJobFind,
): Promise<FoundPage<Listed>> {
  return readSnapshot(db, ['search_term'], (tx) => findInSnapshot(tx, hasher, find))
}

async function findInSnapshot<Listed extends Keyed>(
  tx: Tx,
  hasher: SearchHasher | undefined,
  {
    find,
    says,
    columns = listedColumns,
    lookedThroughMax = lookedThroughMaxDefault,
    ...page
  }: PrintJobFind,
): Promise<FoundPage<Listed>> {
  if (await isAnyNamed(tx, find)) {
    const among = sql`select * from print_job where ${isNamed(find)}`
    const named = await readPage<Listed>(tx, page, { columns, ...(says && { says }), among })
    return { ...named, isIndexing: false }
  }
  const found: PrintJobPage<Listed> = hasher
    ? await findByTerms(tx, hasher, { find, says, columns, ...page })
    : { printJobs: [], nextBefore: undefined }
  const isIndexing = !hasher || (await areAnyWithoutTerms(tx))
  if (!isIndexing) return { ...found, isIndexing }
  const where = hasher ? sql`search_terms is null` : sql`true`
  const rest = await scanPage<Listed>(tx, page, {
    columns,
    where,
    says: says ? sql`${hasWords(find)} and ${says}` : hasWords(find),
    lookedThroughMax,
  })
  return { ...mergePages(found, rest, page.jobsMax), isIndexing }
}

async function isAnyNamed(db: Db, find: string): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from print_job where ${isNamed(find)}) as any`.execute(db)
  return rows[0]!.any
}

/** SQL: whether a print job has no search terms yet. */
export const isAnyWithoutTerms = sql<boolean>`exists (select from print_job where search_terms is null)`

/** Returns whether a print job has no search terms yet. */
export async function areAnyWithoutTerms(db: Db): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`select ${isAnyWithoutTerms} as any`.execute(db)
  return rows[0]!.any
}

/**
 * Personal terms stay until the purge of a print job ends, and do not count once it has begun. A print job whose terms
 * are written again still has that of its correlation id, and is found among those without terms.
 */
async function findByTerms<Listed extends Keyed>(
  db: Db,
  { meaningsOf }: SearchHasher,
  { find, says, columns, ...page }: PrintJobFind & { columns: RawBuilder<unknown> },
): Promise<PrintJobPage<Listed>> {
  const isFiltered = says !== undefined || page.consumerId !== undefined
  const keysMax = isFiltered ? Math.max(page.jobsMax, filteredMax) : page.jobsMax
  const stretches: Stretch[] = []
  const { before } = page
  const periods = await listPeriods(db, before)
  for (const hashes of meaningsOf(find)) {
    stretches.push(await readKeys(db, { hashes, periods, before, keysMax }))
  }
  const { keys, endsAt } = joined(stretches)
  const found = await readPage<Listed>(db, page, {
    columns,
    among: sql`select * from print_job where key = any (${keys}::uuid[])`,
    says: sql`job.search_terms is not null and (job.purge_began_at is null or job.correlation_id = ${find})
      and ${says ?? sql`true`}`,
  })
  return { ...found, nextBefore: found.nextBefore ?? endsAt }
}

/** Returns only the keys in the part that all stretches cover. */
function joined(stretches: readonly Stretch[]): Stretch {
  const ends = stretches.flatMap(({ endsAt }) => endsAt ?? [])
  const endsAt = ends.toSorted().at(-1)
  const keys = stretches.flatMap(({ keys }) => keys).filter((key) => !endsAt || key >= endsAt)
  return { keys, endsAt }
}

/** Reads the newest print jobs that have all words. */
async function readKeys(db: Db, search: KeySearch): Promise<Stretch> {
  const { hashes, periods, keysMax } = search
  if (hashes.length === 1) return walkKeys(db, search, keysMax)
  const rarestFirst = { ...search, hashes: await sortByCount(db, hashes, periods) }
  const stretch = await walkKeys(db, rarestFirst, firstExamined)
  const isEnough = stretch.keys.length === keysMax || stretch.endsAt === undefined
  return isEnough ? stretch : walkKeys(db, rarestFirst, examinedMax)
}

async function sortByCount(
  db: Db,
  hashes: readonly string[],
  periods: readonly number[],
): Promise<string[]> {
  const counts = hashes.map(
    (hash) => sql`(
      select ${hash} as hash, count(*) from (
        select from ${among(periods)} cross join lateral (
          select from search_term where term = ${termIn(sql`period`, hash)} limit ${examinedMax}) one
        limit ${examinedMax}) counted)`,
  )
  const { rows } = await sql<{ hash: string }>`
    ${sql.join(counts, sql` union all `)} order by count`.execute(db)
  return rows.map(({ hash }) => hash)
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

function hasWords(find: string): RawBuilder<unknown> {
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
