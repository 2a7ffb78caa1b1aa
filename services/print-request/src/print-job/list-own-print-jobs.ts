import type { SearchHasherSource } from '@despatch/access/search-terms'
import type { StoredListedPrintJob } from '@despatch/contracts/print-request/listed-print-job'
import { leastKeyAt } from '@despatch/domain/print-job/key-time'
import { referenceWord } from '@despatch/domain/print-job/search-words'
import { isFinal } from '@despatch/domain/print-job/status'
import type { Db, Tx } from '@despatch/store/database'
import {
  isHeld,
  isInLive,
  isRare,
  mergePages,
  type PageOptions,
  type PrintJobPage,
  readPage,
  scanPage,
} from '@despatch/store/print-job/pages'
import { type KeySearch, listPeriods, walkKeys } from '@despatch/store/print-job/term-walk'
import { isPurgeBegun } from '@despatch/store/purge/redact'
import { readSnapshot } from '@despatch/store/read-snapshot'
import { type RawBuilder, sql } from 'kysely'

export type ListSources = {
  db: Db
  searchHasher: SearchHasherSource
  /** Runs a read that takes long once it is its turn. */
  inTurn: <Result>(read: () => Promise<Result>) => Promise<Result>
}

export type OwnSearch = PageOptions & {
  consumerId: string
  createdFrom?: Date | undefined
  /** Exclusive. */
  createdTo?: Date | undefined
  /** A business identifier. Capitals do not count. */
  reference?: string | undefined
  only?: 'held' | 'deleted' | undefined
  limits?: Partial<typeof defaultLimits> | undefined
}

/** How many print jobs a page reads, so that its cost does not grow with the table. */
const defaultLimits = {
  /** A consumer that has no more print jobs than this has all of them read; another one fills its pages by a scan. */
  few: 2_000,
  /** Up to this many live or held print jobs of all consumers are read by their index. */
  rare: 10_000,
  /** The print jobs of all consumers that a scan reads. */
  scanned: 20_000,
  /**
   * A page reads this many print jobs of all consumers that have the reference. It reads the second number only if too
   * few of the first are the consumer's. The search of operators does the same.
   */
  withReference: [500, 5_000],
}

type Page = PrintJobPage<StoredListedPrintJob>

/**
 * Lists a consumer's own print jobs, newest first. No index has the consumer's print jobs by time, because each letter
 * would pay for it. Reads one snapshot, so that the limits hold and a print job whose search terms are written meanwhile
 * is found once. All but a consumer with few print jobs wait for their turn, without a connection.
 */
export async function listOwnPrintJobs(
  { db, searchHasher, inTurn }: ListSources,
  search: OwnSearch,
): Promise<Page> {
  const page = await readSnapshot(db, [], (tx) => listFew(tx, search))
  if (page) return page
  const { reference } = search
  const hasher = reference === undefined ? undefined : await searchHasher()
  const hash = reference && hasher?.referenceHashOf(reference)
  return inTurn(() => readSnapshot(db, ['search_term'], (tx) => listMany(tx, search, hash)))
}

/** Returns undefined for a consumer with more than a few print jobs. */
async function listFew(tx: Tx, search: OwnSearch): Promise<Page | undefined> {
  const { few } = { ...defaultLimits, ...search.limits }
  // The order makes sure that the index on the consumer's ids is used.
  const own = sql`from print_job where consumer_id = ${search.consumerId} order by id`
  const { rows: beyondFew } = await sql`select ${own} offset ${few} limit 1`.execute(tx)
  if (beyondFew.length > 0) return undefined
  const among = sql`select * ${own} limit ${few}`
  return readPage(tx, search, { columns, says: conditionOf(search), among })
}

async function listMany(tx: Tx, search: OwnSearch, referenceHash?: string): Promise<Page> {
  const { rare, scanned } = { ...defaultLimits, ...search.limits }
  const listing = { columns, says: conditionOf(search) }
  if (search.reference !== undefined) return findByReference(tx, search, referenceHash)
  const indexed = indexConditionOf(search)
  if (indexed && (await isRare(tx, indexed, rare))) {
    const among = sql`select * from print_job where ${indexed} limit ${rare}`
    return readPage(tx, search, { ...listing, among })
  }
  const stretch = { where: keyRangeOf(search), lookedThroughMax: scanned }
  return scanPage(tx, search, { ...listing, ...stretch })
}

/**
 * Finds print jobs by the search term of their reference. Those whose terms are still to be written are scanned;
 * without a hash, all are.
 */
async function findByReference(tx: Tx, search: OwnSearch, hash: string | undefined): Promise<Page> {
  const { scanned, withReference } = { ...defaultLimits, ...search.limits }
  const says = conditionOf(search)
  const found = hash === undefined ? nothing : await walkTerms()
  const range = keyRangeOf(search)
  const rest = await scanPage<StoredListedPrintJob>(tx, search, {
    columns,
    says,
    lookedThroughMax: scanned,
    where: hash === undefined ? range : sql`${range} and search_terms is null`,
  })
  return mergePages(found, rest, search.jobsMax)

  async function walkTerms(): Promise<Page> {
    const { to } = keyBoundsOf(search)
    const before = [search.before, to].filter((key) => key !== undefined).toSorted()[0]
    const periods = await listPeriods(tx, before)
    let page = nothing
    for (const keysMax of withReference) {
      page = await walkTerm({ hashes: [hash!], periods, before, keysMax })
      if (page.printJobs.length === search.jobsMax || page.nextBefore === undefined) break
    }
    return page
  }

  async function walkTerm(walk: KeySearch): Promise<Page> {
    const { from } = keyBoundsOf(search)
    const { keys, endsAt } = await walkKeys(tx, walk, walk.keysMax)
    const page = await readPage<StoredListedPrintJob>(tx, search, {
      columns,
      among: sql`select * from print_job where key = any (${keys}::uuid[])`,
      says: sql`${says} and job.search_terms is not null`,
    })
    const isLast = endsAt === undefined || (from !== undefined && endsAt < from)
    return { ...page, nextBefore: page.nextBefore ?? (isLast ? undefined : endsAt) }
  }
}

const nothing: Page = { printJobs: [], nextBefore: undefined }

const columns = sql`
  job.key, job.id, job.status, job.standard_params ->> 'jobType' as "jobType",
  job.standard_params ->> 'templateReference' as "templateReference",
  case when not ${isPurgeBegun} then job.standard_params ->> 'businessIdentifier' end as "businessIdentifier",
  job.created_at as "createdDate", job.updated_at as "updatedDate", job.batch_number as "batchNumber",
  case when ${isHeld} then job.held_at end as "heldSince", job.deleted_at as "deletedDate",
  job.purged_at as "purgedDate"`

function conditionOf({ only, createdFrom, createdTo, reference }: OwnSearch): RawBuilder<unknown> {
  const conditions = [
    only === 'deleted' ? sql`job.deleted_at is not null` : sql`job.deleted_at is null`,
    only === 'held' && isHeld,
    createdFrom && sql`job.created_at >= ${createdFrom}`,
    createdTo && sql`job.created_at < ${createdTo}`,
    reference !== undefined &&
      sql`not ${isPurgeBegun} and upper(job.standard_params ->> 'businessIdentifier') = ${referenceWord(reference).text}`,
  ].filter((condition) => condition !== undefined && condition !== false)
  return sql.join(conditions, sql` and `)
}

/** The condition of an index that has all print jobs of the search, if there is one. */
function indexConditionOf({ only, status }: OwnSearch): RawBuilder<unknown> | undefined {
  if (only === 'held') return isHeld
  const isLive = only === undefined && status !== undefined && !isFinal(status)
  return isLive ? isInLive([status]) : undefined
}

/** The clock of a service, which makes the key, and that of the database differ by less. */
const skewMaxMs = 3_600_000

/** Bounds of the keys of print jobs that were created in the range of the search, and of some before and after it. */
function keyBoundsOf({ createdFrom, createdTo }: OwnSearch) {
  return {
    from: createdFrom && leastKeyAt(new Date(createdFrom.getTime() - skewMaxMs)),
    to: createdTo && leastKeyAt(new Date(createdTo.getTime() + skewMaxMs)),
  }
}

function keyRangeOf(search: OwnSearch): RawBuilder<unknown> {
  const { from, to } = keyBoundsOf(search)
  return sql`true ${from ? sql`and key >= ${from}` : sql``} ${to ? sql`and key < ${to}` : sql``}`
}
