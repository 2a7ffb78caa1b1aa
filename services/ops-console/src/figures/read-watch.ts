import { isWorkingAt } from '@despatch/domain/calendar/working-time'
import {
  findStuckSeconds,
  type StuckFacts,
  type StuckSeconds,
  type UnfinishedRun,
} from '@despatch/domain/print-job/stuck'
import type { Capabilities } from '@despatch/domain/print-run/capabilities'
import type { Db } from '@despatch/store/database'
import { inIndexOrder } from '@despatch/store/in-index-order'
import { countViolations, type InvariantCheck } from '@despatch/store/overview/invariants'
import { readyJobs, waitingGroups } from '@despatch/store/print-run/waiting-groups'
import { sql } from 'kysely'

/** Figures that are read once a minute, because reading them is expensive. */
export type Watch = ReconciliationFigures & {
  stuckSeconds: StuckSeconds
  /** Enabled sites that work at this moment, by their calendars. */
  sitesWorking: number
  violations: Record<InvariantCheck, number>
}

export async function readWatch(db: Db, now: () => Date): Promise<Watch> {
  const [{ facts, sites }, accounts, violations] = await Promise.all([
    readStuckFacts(db),
    readReconciliationFigures(db),
    countViolations(db),
  ])
  const at = now()
  return {
    ...accounts,
    stuckSeconds: findStuckSeconds(facts, at),
    sitesWorking: sites.filter((site) => isWorkingAt(site, site.despatchMethods, at)).length,
    violations,
  }
}

type RunStep = 'released' | 'claimed' | 'acknowledged' | 'closed' | 'voided'
type DocumentFigure = 'outstanding' | 'posted' | 'despatched' | 'refused' | 'failed' | 'recalled'

type ReconciliationFigures = {
  /** Print runs that reached the step in the last day. */
  runsLastDay: Record<RunStep, number>
  /** Documents of the claimed and unfinished print runs, by what is known of them. */
  documents: Record<DocumentFigure, number>
}

/** Reads the reconciliation of print providers' work. */
export async function readReconciliationFigures(db: Db): Promise<ReconciliationFigures> {
  const [runsLastDay, documents] = await Promise.all([countSteps(db), countDocuments(db)])
  return { runsLastDay, documents }
}

/** A run has many letters, so there are few runs. */
async function countSteps(db: Db): Promise<ReconciliationFigures['runsLastDay']> {
  const { rows } = await sql<ReconciliationFigures['runsLastDay']>`
    select count(*) filter (where released_at > since) as released,
      count(*) filter (where claimed_at > since) as claimed,
      count(*) filter (where acknowledged_at > since) as acknowledged,
      count(*) filter (where closed_at > since) as closed,
      count(*) filter (where voided_at > since) as voided
    from print_run, (select now() - interval '1 day' as since) day`.execute(db)
  return rows[0]!
}

async function countDocuments(db: Db): Promise<ReconciliationFigures['documents']> {
  const { rows } = await sql<{ account: string; count: number }>`
    select state as account, sum(count)::bigint as count from current_count
    where what = 'document' and subject = any (array (
      select batch_number from print_run where state not in ('OPEN', 'RELEASED', 'CLOSED', 'VOIDED')))
    group by state`.execute(db)
  const counts = new Map(rows.map(({ account, count }) => [account, count]))
  return {
    outstanding: counts.get('outstanding') ?? 0,
    posted: counts.get('posted') ?? 0,
    despatched: counts.get('despatched') ?? 0,
    refused: counts.get('refused') ?? 0,
    failed: counts.get('failed') ?? 0,
    recalled: counts.get('recalled') ?? 0,
  }
}

/** Reads the facts that show how long print jobs have been stuck, and the sites that may receive work. */
export async function readStuckFacts(
  db: Db,
): Promise<{ facts: StuckFacts; sites: readonly Capabilities[] }> {
  const [oldest, runs, sites] = await Promise.all([
    readOldest(db),
    readUnfinishedRuns(db),
    readSites(db),
  ])
  const capabilitiesOf = new Map(sites.map((site) => [siteKey(site), site.capabilities]))
  return {
    facts: {
      ...oldest,
      runs: runs.map(({ providerId, printLocation, ...run }) => ({
        ...run,
        site: capabilitiesOf.get(siteKey({ providerId, printLocation })) ?? { maintenance: [] },
      })),
    },
    sites: sites.filter(({ enabled }) => enabled).map(({ capabilities }) => capabilities),
  }
}

/** Bounds the letters that are read to find the oldest of them. */
const lettersMax = 10_000

/**
 * Repeats the conditions of the index print_job_live, so that PostgreSQL uses it. Of the letters that wait for a print
 * run, it reads those that were ready first.
 */
async function readOldest(db: Db): Promise<Omit<StuckFacts, 'runs'>> {
  const oldest = sql<Omit<StuckFacts, 'runs'>>`
    with recursive ${waitingGroups}
    select
      (select updated_at from print_job
        where status = 'QUARANTINE' and deleted_at is null and parked_at is null
        order by updated_at limit 1) as "quarantineSince",
      (select updated_at from print_job
        where status = 'VALIDATING' and deleted_at is null and parked_at is null
        order by updated_at limit 1) as "validatingSince",
      (select min(accepted_at) from (
        select ready.accepted_at from waiting cross join lateral (
          ${readyJobs('waiting', sql`now()`, acceptedAt)} limit ${lettersMax}) ready
        limit ${lettersMax}) letter) as "routingSince"`
  const { rows } = await inIndexOrder(db, (tx) => oldest.execute(tx))
  return rows[0]!
}

const acceptedAt = sql`greatest(job.updated_at, job.not_before) as accepted_at`

type RunRow = Omit<UnfinishedRun, 'site'> & { providerId: string; printLocation: string }

/** Reads print runs with a live document that has no outcome. There are few runs. */
async function readUnfinishedRuns(db: Db): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select case state when 'OPEN' then 'open' when 'RELEASED' then 'released' else 'claimed' end as stage,
      provider_id as "providerId", print_location as "printLocation", despatch_method as "despatchMethod",
      cut_off_at as "cutOffAt", expected_despatch_on as "expectedDespatchOn"
    from print_run
    where state not in ('CLOSED', 'VOIDED') and batch_number = any (array (
      select subject from current_count
      where what = 'document' and state in ('gathered', 'outstanding', 'posted') and subject = any (array (
        select batch_number from print_run where state not in ('CLOSED', 'VOIDED')))
      group by subject having sum(count) > 0))`.execute(db)
  return rows
}

type SiteRow = {
  providerId: string
  printLocation: string
  enabled: boolean
  capabilities: Capabilities
}

async function readSites(db: Db): Promise<SiteRow[]> {
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

function siteKey({ providerId, printLocation }: Pick<SiteRow, 'providerId' | 'printLocation'>) {
  return JSON.stringify([providerId, printLocation])
}
