import { cursorAfter } from '@despatch/contracts/page'
import { listPrintRuns as operation } from '@despatch/contracts/print-fulfilment/operations'
import type {
  printRunSchema,
  printRunsQuerySchema,
} from '@despatch/contracts/print-fulfilment/print-run'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { Api } from '@despatch/http/api'
import { repeatLost } from '@despatch/postgres/lost-reply'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import type { z } from 'zod'
import { providerOf } from '../request/provider-of.ts'

/**
 * GET /print-runs: lists the runs that the provider may claim or has claimed, and records that the provider is present.
 */
export function listPrintRuns(api: Api, { db }: { db: Db }): void {
  const markSeen = createSeenMarks(db)
  api.route({
    ...operation,
    handler: async (request) => {
      const { cursor, limit, ...filter } = request.query
      const providerId = providerOf(request.caller)
      const [runs] = await Promise.all([
        listRuns(db, { ...filter, providerId, after: cursor, runsMax: limit }),
        markSeen(providerId),
      ])
      return { printRuns: runs, ...cursorAfter(runs, limit, ({ batchNumber }) => batchNumber) }
    },
  })
}

type StoredPrintRun = z.input<typeof printRunSchema>

type PrintRunFilter = Pick<
  z.output<typeof printRunsQuerySchema>,
  'state' | 'printLocation' | 'despatchMethod'
> & {
  providerId: string
  /** The last batch number of the previous page. */
  after?: string | undefined
  runsMax: number
}

/**
 * Lists a provider's runs, by expected despatch date and then by release time, oldest first. Leaves out runs that are
 * still gathering or have nothing left to print. Voided runs are listed only on request. A claimed run whose lease
 * expired without an acknowledgement reads as RELEASED again: it is still frozen, and claiming it returns the same
 * list.
 */
export async function listRuns(db: Db, filter: PrintRunFilter): Promise<StoredPrintRun[]> {
  const { providerId, state, printLocation, despatchMethod, after, runsMax } = filter
  const { rows } = await sql<StoredPrintRun>`
    select run.batch_number as "batchNumber", run.shown_state as state, run.print_location as "printLocation",
      run.despatch_method as "despatchMethod", run.format, run.stationery, run.plex, run.colour,
      run.print_epoch as "printEpoch", run.expected_despatch_on as "expectedDespatchDate",
      coalesce(run.manifest_version, 1 + withdrawn.documents) as "manifestVersion",
      run.document_count - withdrawn.documents as "documentCount",
      run.sheet_count - withdrawn.sheets as "sheetCount",
      run.page_count - withdrawn.pages as "pageCount",
      run.byte_count - withdrawn.bytes as "byteCount",
      run.released_at as "releasedAt", run.claimed_at as "claimedAt", run.lease_until as "leaseUntil",
      run.acknowledged_at as "acknowledgedAt", run.posted_at as "postedAt", run.closed_at as "closedAt"
    from (
      select *, case when state = 'CLAIMED' and lease_until <= now() then 'RELEASED' else state end as shown_state
      from print_run
    ) run
    cross join lateral (
      select count(*)::integer as documents, coalesce(sum(sheets), 0)::integer as sheets,
        coalesce(sum(pages), 0)::integer as pages, coalesce(sum(bytes), 0)::bigint as bytes
      from print_run_document
      where batch_number = run.batch_number and removed_at is not null and sequence is not null
        and run.claimed_at is null
    ) withdrawn
    where run.provider_id = ${providerId} and run.state <> 'OPEN' and run.released_at is not null
      and run.document_count > withdrawn.documents
      and ${inState(state)}
      ${printLocation === undefined ? sql`` : sql`and run.print_location = ${printLocation}`}
      ${despatchMethod === undefined ? sql`` : sql`and run.despatch_method = ${despatchMethod}`}
      ${after === undefined ? sql`` : isAfter(providerId, after)}
    order by coalesce(run.expected_despatch_on, 'infinity'::date), run.released_at, run.batch_number
    limit ${runsMax}`.execute(db)
  return rows
}

// Repeats the condition of the index print_run_to_claim, so that finished runs are not read.
function inState(state: PrintRunState | undefined) {
  switch (state) {
    case undefined:
      return sql`run.state <> 'VOIDED'`
    case 'RELEASED':
    case 'CLAIMED':
      return sql`run.state in ('RELEASED', 'CLAIMED') and run.shown_state = ${state}`
    default:
      return sql`run.state = ${state}`
  }
}

// Neither the despatch date nor the release time changes later, so a page begins where the previous one ended.
function isAfter(providerId: string, batchNumber: string) {
  return sql`and (coalesce(run.expected_despatch_on, 'infinity'::date), run.released_at, run.batch_number) > (
    select coalesce(expected_despatch_on, 'infinity'::date), released_at, batch_number from print_run
    where batch_number = ${batchNumber} and provider_id = ${providerId})`
}

/** The presence of a provider is recorded at most once in this time. */
const seenSeconds = 10

/**
 * Returns a function that records that a provider is present, unless that was recorded seconds ago: a provider may poll
 * many times a second.
 */
function createSeenMarks(db: Db): (providerId: string) => Promise<void> {
  const recordedAtMs = new Map<string, number>()
  return async (providerId) => {
    const nowMs = performance.now()
    if (nowMs - (recordedAtMs.get(providerId) ?? Number.NEGATIVE_INFINITY) < seenSeconds * 1_000)
      return
    const update = sql`
      update provider set last_seen_at = clock_timestamp()
      where id = ${providerId}
        and (last_seen_at is null or last_seen_at < clock_timestamp() - ${seenSeconds}::integer * interval '1 second')`
    const { numAffectedRows } = await repeatLost(() => update.execute(db))
    if (numAffectedRows === 1n) recordedAtMs.set(providerId, nowMs)
  }
}
