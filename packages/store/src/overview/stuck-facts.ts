import type { StuckFacts, UnfinishedRun } from '@despatch/domain/print-job/stuck'
import type { Capabilities } from '@despatch/domain/print-run/capabilities'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

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

/** Repeats the conditions of the indexes print_job_live and print_job_gatherable, so that PostgreSQL uses them. */
async function readOldest(db: Db): Promise<Omit<StuckFacts, 'runs'>> {
  const { rows } = await sql<Omit<StuckFacts, 'runs'>>`
    select
      (select updated_at from print_job
        where status = 'QUARANTINE' and deleted_at is null and parked_at is null
        order by updated_at limit 1) as "quarantineSince",
      (select updated_at from print_job
        where status = 'VALIDATING' and deleted_at is null and parked_at is null
        order by updated_at limit 1) as "validatingSince",
      (select min(greatest(updated_at, not_before)) from print_job
        where status = 'PENDING' and batch_number is null and deleted_at is null and held_at is null
          and (not_before is null or not_before <= now())) as "routingSince"`.execute(db)
  return rows[0]!
}

type RunRow = Omit<UnfinishedRun, 'site'> & { providerId: string; printLocation: string }

/** Reads print runs with a live document that has no outcome. There are few runs. */
async function readUnfinishedRuns(db: Db): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select case state when 'OPEN' then 'open' when 'RELEASED' then 'released' else 'claimed' end as stage,
      provider_id as "providerId", print_location as "printLocation", despatch_method as "despatchMethod",
      cut_off_at as "cutOffAt", expected_despatch_on as "expectedDespatchOn"
    from print_run
    where state not in ('CLOSED', 'VOIDED') and exists (
      select from print_run_document document
      where document.batch_number = print_run.batch_number and outcome is null and removed_at is null
        and voided_at is null)`.execute(db)
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
