import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A service's report that a dependency is unavailable. */
type OutageSeen = {
  service: string
  dependency: Dependency
  /** A class or code of the fault. Never a message, which may contain data. */
  reason: string
  /** Milliseconds since it began. The database's clock turns this into a time. */
  ageMs: number
}

export type Outage = {
  /** Services that currently report the dependency as unavailable. */
  services: string[]
  dependency: Dependency
  since: Date
  seenAt: Date
  /** The reason in the most recent report. */
  reason: string
}

/** A report that has not been repeated for this long no longer counts: the service has stopped. */
const currentSeconds = 60
const keptDays = 90

/**
 * Records that a service finds a dependency unavailable. Call it when an outage begins and at least every 30 s while it
 * lasts: the first call creates a row, each later one renews it. Ended outages are kept for 90 days.
 */
export async function noteOutage(
  db: Db,
  { service, dependency, reason, ageMs }: OutageSeen,
): Promise<void> {
  const { rows } = await sql<{ since: Date }>`
    update dependency_outage set seen_at = now(), reason = ${reason}
    where service = ${service} and dependency = ${dependency} and ended_at is null
      and seen_at > now() - ${currentSeconds}::integer * interval '1 second'
    returning since`.execute(db)
  if (rows.length > 0) return
  await sql`
    insert into dependency_outage (service, dependency, since, reason)
    values (${service}, ${dependency}, now() - ${ageMs}::double precision * interval '1 millisecond', ${reason}) on conflict do nothing`.execute(
    db,
  )
  await sql`
    delete from dependency_outage
    where coalesce(ended_at, seen_at) < now() - ${keptDays}::integer * interval '1 day'`.execute(db)
}

/** Records that a service finds a dependency available again. Safe to repeat. */
export async function endOutage(
  db: Db,
  { service, dependency }: Pick<OutageSeen, 'service' | 'dependency'>,
): Promise<void> {
  await sql`
    update dependency_outage set ended_at = now()
    where service = ${service} and dependency = ${dependency} and ended_at is null`.execute(db)
}

/** Lists the dependencies that are unavailable now, longest outage first. */
export async function listOutages(db: Db): Promise<Outage[]> {
  const { rows } = await sql<Outage>`
    select dependency, array_agg(distinct service order by service) as services, min(since) as since,
      max(seen_at) as "seenAt", (array_agg(reason order by seen_at desc))[1] as reason
    from dependency_outage
    where ended_at is null and seen_at > now() - ${currentSeconds}::integer * interval '1 second'
    group by dependency
    order by min(since), dependency`.execute(db)
  return rows
}
