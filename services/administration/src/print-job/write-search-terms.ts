import { setTimeout as pause } from 'node:timers/promises'
import type { SearchHasher, SearchHasherSource, SearchTerms } from '@despatch/access/search-terms'
import type { Addressee } from '@despatch/domain/address/addressee'
import { transact } from '@despatch/postgres/transact'
import type { Db, Tx } from '@despatch/store/database'
import type { StoredStandardParams } from '@despatch/store/schema'
import type { PeriodicTask } from '@despatch/work/periodic-tasks'
import { sql } from 'kysely'
import { areAnyWithoutTerms, isAnyWithoutTerms } from './find-print-jobs.ts'

type SearchTermsOptions = { db: Db; hasherOf: SearchHasherSource }

/** Print jobs of one batch, whose rows it locks. With the pause, a million take about twenty minutes. */
const jobsMax = 500
/** The pause between two batches, which leaves the database time for other work, in milliseconds. */
const batchPauseMs = 500
/** Print jobs without terms are found too, but each search reads all of them, so they should be few. */
const lookEveryMs = 2_000

/**
 * Writes the search terms of print jobs that have none: those accepted before search terms existed or by the previous
 * release, and those whose address has been corrected. Several processes may run it at once.
 */
export function searchTermsTask(options: SearchTermsOptions): PeriodicTask {
  const walk = createSearchTermsWalk(options)
  return {
    name: 'search-terms',
    everyMs: lookEveryMs,
    hasWork: isAnyWithoutTerms,
    pass: async (_progressed, signal) => {
      const result = await walk()
      if (result === 'again') await pause(batchPauseMs, undefined, { signal })
      return result
    },
  }
}

/**
 * Returns the pass that writes the terms of the next batch, newest print jobs first. After the oldest, it begins again
 * with the newest. Returns 'idle' if there was nothing to write.
 */
export function createSearchTermsWalk({
  db,
  hasherOf,
}: SearchTermsOptions): () => Promise<'again' | 'idle'> {
  let before: string | undefined
  return async () => {
    const hasher = (await areAnyWithoutTerms(db)) ? await hasherOf() : undefined
    if (!hasher) return 'idle'
    before = await transact(db, (tx) => writeBatch(tx, hasher, before))
    return 'again'
  }
}

type Letter = {
  key: string
  correlationId: string
  standardParams: StoredStandardParams
  addressOverride: Addressee | null
  isPurged: boolean
}

/** Returns the last key of the batch; undefined: no older print job lacks terms. */
async function writeBatch(
  tx: Tx,
  hasher: SearchHasher,
  before: string | undefined,
): Promise<string | undefined> {
  const onwards = before === undefined ? sql`` : sql`and key < ${before}`
  const { rows: letters } = await sql<Letter>`
    select key, correlation_id as "correlationId", standard_params as "standardParams",
      address_override as "addressOverride", purge_began_at is not null as "isPurged"
    from print_job where search_terms is null ${onwards}
    order by key desc limit ${jobsMax} for no key update skip locked`.execute(tx)
  if (letters.length === 0) return undefined
  const written = letters.map((letter) => ({ key: letter.key, ...termsOf(hasher, letter) }))
  await sql`
    with letter as (
      select * from json_to_recordset(${JSON.stringify(written)}::json) as row (key uuid, lasting bigint, personal bigint[])
    ), term as (
      insert into search_term (term, print_job_key)
      select unnest(personal || lasting), key from letter
      on conflict do nothing
    )
    update print_job set search_terms = letter.personal from letter where print_job.key = letter.key`.execute(
    tx,
  )
  return letters.length < jobsMax ? undefined : letters.at(-1)!.key
}

/** A letter whose purge has begun has no personal terms. */
function termsOf(
  { termsOf }: SearchHasher,
  { key, correlationId, standardParams, addressOverride, isPurged }: Letter,
): SearchTerms {
  if (isPurged) return termsOf({ key, correlationId, businessIdentifier: null, addressees: [] })
  return termsOf({
    key,
    correlationId,
    businessIdentifier: standardParams.businessIdentifier,
    addressees: addressOverride ? [standardParams, addressOverride] : [standardParams],
  })
}
