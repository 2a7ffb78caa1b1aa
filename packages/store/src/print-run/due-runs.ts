import { readyUntil } from '@despatch/domain/calendar/due-date'
import { londonDateOf } from '@despatch/domain/calendar/london'
import { addToPrintCounts, type DueRun } from '@despatch/domain/print-job/lateness'
import type { Capabilities, LondonDate } from '@despatch/domain/print-run/capabilities'
import {
  type PrintRunDespatchMethod,
  printRunDespatchMethods,
} from '@despatch/domain/print-run/despatch-method'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A print run with its due date, and the number of its documents at each stage. */
export type StoredDueRun = DueRun & {
  batchNumber: string
  waiting: number
  posted: number
  despatched: number
}

/** What the due dates and latenesses of letters follow from, as of an instant. */
export type Deadlines = {
  at: Date
  /** The London date. */
  today: LondonDate
  /** Every run that is not closed or voided, and the closed ones that are due today. */
  runs: ReadonlyMap<string, StoredDueRun>
  /** The enabled sites that produce a despatch method. */
  sitesOf: (despatchMethod: PrintRunDespatchMethod) => readonly Capabilities[]
}

/**
 * Reads the deadlines, by default as of the database's time. A run has many letters, so there are few runs, and their
 * documents are counted when they change.
 */
export async function readDeadlines(db: Db, given?: Date): Promise<Deadlines> {
  const at = given ?? (await readTime(db))
  const today = londonDateOf(at)
  const [rows, sites] = await Promise.all([listDueRuns(db, today), listSites(db)])
  const capabilitiesOf = new Map(sites.map((site) => [siteKey(site), site.capabilities]))
  const runs = addToPrintCounts(rows).map((run) => ({
    ...run,
    site: capabilitiesOf.get(siteKey(run)) ?? { maintenance: [] },
  }))
  const enabled = sites.filter((site) => site.enabled).map(({ capabilities }) => capabilities)
  return {
    at,
    today,
    runs: new Map(runs.map((run) => [run.batchNumber, run])),
    sitesOf: (method) => enabled.filter(({ despatchMethods }) => despatchMethods.includes(method)),
  }
}

async function readTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(db)
  return rows[0]!.at
}

type RunRow = Omit<StoredDueRun, 'site' | 'toPrintCount'> & SiteRef

async function listDueRuns(db: Db, today: LondonDate): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    with run as materialized (
      select * from print_run where state not in ('CLOSED', 'VOIDED') and expected_despatch_on is not null
      union all
      -- repeats the key of the index print_run_listed
      select closed.* from (select distinct provider_id from print_site) site cross join lateral (
        select * from print_run
        where provider_id = site.provider_id and coalesce(expected_despatch_on, 'infinity'::date) = ${today}
          and state <> 'OPEN' and state = 'CLOSED') closed
    ), counted as (
      select subject, coalesce(sum(count) filter (where state in ('gathered', 'outstanding')), 0)::bigint as waiting,
        coalesce(sum(count) filter (where state = 'posted'), 0)::bigint as posted,
        coalesce(sum(count) filter (where state = 'despatched'), 0)::bigint as despatched
      from current_count
      where what = 'document' and state in ('gathered', 'outstanding', 'posted', 'despatched')
        and subject = any (array (select batch_number from run))
      group by subject
    )
    select run.batch_number as "batchNumber", run.state, run.provider_id as "providerId",
      run.print_location as "printLocation", run.despatch_method as "despatchMethod", run.cut_off_at as "cutOffAt",
      run.lease_until as "leaseUntil", to_char(run.expected_despatch_on, 'YYYY-MM-DD') as "dueOn",
      counted.waiting, counted.posted, counted.despatched
    from run join counted on counted.subject = run.batch_number`.execute(db)
  return rows
}

type SiteRef = { providerId: string; printLocation: string }
type SiteRow = SiteRef & { enabled: boolean; capabilities: Capabilities }

async function listSites(db: Db): Promise<SiteRow[]> {
  return db
    .selectFrom('print_site')
    .select([
      'provider_id as providerId',
      'print_location as printLocation',
      'enabled',
      'capabilities',
    ])
    .execute()
}

function siteKey({ providerId, printLocation }: SiteRef): string {
  return JSON.stringify([providerId, printLocation])
}

/** SQL for the despatch method of `job`. */
export const despatchMethodOf = sql<PrintRunDespatchMethod>`coalesce(job.standard_params ->> 'despatchMethod', 'SECOND')`

/** SQL for when `job`, which is in no print run, is or was ready for one: as for gathering, once it is PENDING. */
export const readyAtOf = sql<Date>`
  greatest(case job.status when 'PENDING' then job.updated_at else job.created_at end, job.not_before)`

/** SQL condition on `job`: it is in no print run and has a due date. */
export const isWaiting = sql<boolean>`(
  job.status in ('QUARANTINE', 'VALIDATING', 'PENDING') and job.batch_number is null and job.deleted_at is null
  and job.held_at is null)`

/** The instants before which letters of a despatch method must be ready to be due on each of the dates or earlier. */
type ReadyUntil = { despatchMethod: PrintRunDespatchMethod; untils: Date[] }

/** Returns, for each despatch method that a site produces, when letters that are due by each date must be ready. */
export function listReadyUntils(
  { sitesOf }: Pick<Deadlines, 'sitesOf'>,
  dates: readonly LondonDate[],
): ReadyUntil[] {
  return printRunDespatchMethods.flatMap((despatchMethod) => {
    const sites = sitesOf(despatchMethod)
    const untils = dates.flatMap((date) => readyUntil(sites, despatchMethod, date) ?? [])
    return untils.length === dates.length ? [{ despatchMethod, untils }] : []
  })
}
