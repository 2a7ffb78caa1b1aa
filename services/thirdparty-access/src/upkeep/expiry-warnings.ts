import { dayAfter, dayOf } from '@despatch/access/expiry'
import { daysBetween, findDueWarning, warningDays } from '@despatch/domain/access/expiry-warning'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import { Gauge, type Registry } from '@despatch/telemetry/metrics'
import { sql } from 'kysely'

type ExpiryWarning = ExpiringCredential & { daysLeft: number }

/**
 * Calls `tell` for every password and API key that expires soon: 30, 7 and 1 days before, once each. It is safe to
 * repeat, and to run in several processes. If a process dies between the call and the commit, another process repeats
 * the warning.
 */
export async function warnOfExpiringCredentials(
  db: Db,
  { now, tell }: { now: Date; tell: (warning: ExpiryWarning) => void },
): Promise<void> {
  const today = dayOf(now)
  const expiring = await listExpiringCredentials(db, {
    from: today,
    to: dayAfter(now, Math.max(...warningDays)),
  })
  for (const credential of expiring) {
    const daysLeft = daysBetween(today, credential.expiresOn)
    const days = findDueWarning(daysLeft)
    if (days === undefined) continue
    await transact(db, async (tx) => {
      if (await insertCredentialWarning(tx, { ...credential, days })) {
        tell({ ...credential, daysLeft })
      }
    })
  }
}

/**
 * Registers the gauge of credentials that expire within 30, 7 and 1 days. It is read at each scrape, and has no samples
 * while the database cannot be read.
 */
export function registerExpiryMetrics(registry: Registry, db: Db, now: () => Date): void {
  new Gauge({
    name: 'credentials_expiring',
    help: 'Passwords and API keys of enabled consumers that expire within this number of days; expired ones are not counted',
    labelNames: ['credential', 'days'],
    registers: [registry],
    async collect() {
      const days = warningDays
      const counts = await countExpiringCredentials(db, { today: dayOf(now()), days }).catch(
        () => [],
      )
      this.reset()
      for (const { credential, days: within, count } of counts) {
        this.set({ credential, days: String(within) }, count)
      }
    },
  })
}

type ExpiringCredential = {
  consumerId: string
  credential: 'password' | 'api-key'
  expiresOn: string
}

/** Lists the passwords and API keys of enabled consumers that expire on these days (YYYY-MM-DD, both inclusive). */
async function listExpiringCredentials(
  db: Db,
  { from, to }: { from: string; to: string },
): Promise<ExpiringCredential[]> {
  const { rows } = await sql<ExpiringCredential>`
    select id as "consumerId", credential, expires_on as "expiresOn"
    from consumer cross join lateral (
      values ('password', password_expires_on), ('api-key', api_key_expires_on)
    ) as held (credential, expires_on)
    where disabled_at is null and expires_on between ${from}::date and ${to}::date
    order by expires_on, id, credential`.execute(db)
  return rows
}

/**
 * Counts, for each of these days, the passwords and API keys of enabled consumers that expire on or before it. Expired
 * ones do not count.
 */
async function countExpiringCredentials(
  db: Db,
  { today, days }: { today: string; days: readonly number[] },
): Promise<{ credential: 'password' | 'api-key'; days: number; count: number }[]> {
  const { rows } = await sql<{ credential: 'password' | 'api-key'; days: number; count: number }>`
    select credential, days, count(id) filter (
      where expires_on between ${today}::date and ${today}::date + days)::integer as count
    from unnest(${[...days]}::integer[]) as days
    cross join (values ('password'), ('api-key')) as kinds (credential)
    left join lateral (
      select id, case credential when 'password' then password_expires_on else api_key_expires_on end as expires_on
      from consumer where disabled_at is null
    ) as held on true
    group by credential, days order by credential, days`.execute(db)
  return rows
}

/** Records that the warning was given. Returns false if it had been given before. */
async function insertCredentialWarning(
  tx: Db,
  { consumerId, credential, expiresOn, days }: ExpiringCredential & { days: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('credential_warning')
    .values({ consumer_id: consumerId, credential, expires_on: expiresOn, days })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
