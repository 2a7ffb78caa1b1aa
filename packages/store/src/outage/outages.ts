import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Who found what away. */
export type OutageSeen = {
  service: string
  dependency: Dependency
  /** A class or code of fault, never a message, which may hold data. */
  reason: string
  /** How long ago it began. The database's clock makes a time of it. */
  ageMs: number
}

export type Outage = {
  /** Services that find the dependency away now. */
  services: string[]
  dependency: Dependency
  since: Date
  seenAt: Date
  /** What the service that saw it last reports. */
  reason: string
}

/** A service that has not repeated its finding for this long has stopped, and its finding no longer counts. */
const currentSeconds = 60
const keptDays = 90

/**
 * Notes that a service finds a dependency away. Call it when an outage begins and at least every 30 s while it lasts: the
 * first call makes a row, each later one renews it. Ended outages are kept for 90 days.
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

/** Notes that a service finds a dependency working again. Safe to repeat. */
export async function endOutage(
  db: Db,
  { service, dependency }: Pick<OutageSeen, 'service' | 'dependency'>,
): Promise<void> {
  await sql`
    update dependency_outage set ended_at = now()
    where service = ${service} and dependency = ${dependency} and ended_at is null`.execute(db)
}

/** Lists the dependencies that are away now, the longest outage first. */
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
