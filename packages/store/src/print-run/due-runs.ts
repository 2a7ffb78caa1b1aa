import { londonDateOf } from '@despatch/domain/calendar/london'
import { addToPrintCounts, type DueRun } from '@despatch/domain/print-job/lateness'
import type { LondonDate } from '@despatch/domain/print-run/capabilities'
import {
  createLetterClasses,
  type LetterClass,
  type Production,
} from '@despatch/domain/print-run/letter-classes'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { listRoutableSites } from '../provider/routing.ts'

/** A print run with its due date, and the number of its documents at each stage. */
type StoredDueRun = DueRun & {
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
  /** The due dates of letters in no print run. */
  dueDatesFor: ReturnType<typeof createLetterClasses>['dueDatesFor']
  /** The classes of all letters, by the contracts that there are. */
  letterClasses: readonly LetterClass[]
}

/**
 * Reads the deadlines, by default as of the database's time. A run has many letters, so there are few runs, and their
 * documents are counted when they change.
 */
export async function readDeadlines(db: Db, given?: Date): Promise<Deadlines> {
  const at = given ?? (await readTime(db))
  const today = londonDateOf(at)
  const [rows, sites, productions] = await Promise.all([
    listDueRuns(db, today),
    listRoutableSites(db, at),
    listProductions(db),
  ])
  const capabilitiesOf = new Map(sites.map((site) => [siteKey(site), site.capabilities]))
  const runs = addToPrintCounts(rows).map((run) => ({
    ...run,
    site: capabilitiesOf.get(siteKey(run)) ?? { maintenance: [] },
  }))
  const { dueDatesFor, listClasses } = createLetterClasses(sites, at)
  return {
    at,
    today,
    runs: new Map(runs.map((run) => [run.batchNumber, run])),
    dueDatesFor,
    letterClasses: listClasses(productions),
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

async function listProductions(db: Db): Promise<Production[]> {
  return db.selectFrom('contract').select(['stationery', 'plex', 'colour']).distinct().execute()
}

function siteKey({ providerId, printLocation }: SiteRef): string {
  return JSON.stringify([providerId, printLocation])
}
