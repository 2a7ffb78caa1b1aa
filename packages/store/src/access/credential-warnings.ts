import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type ExpiringCredential = {
  consumerId: string
  credential: 'password' | 'api-key'
  expiresOn: string
}

/** Lists the passwords and API keys of enabled consumers that expire on these days (YYYY-MM-DD, both inclusive). */
export async function listExpiringCredentials(
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
export async function countExpiringCredentials(
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
export async function insertCredentialWarning(
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
