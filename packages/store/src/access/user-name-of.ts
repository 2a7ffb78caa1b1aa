import { type RawBuilder, sql } from 'kysely'

/**
 * The user name of an actor as the record of changes names him, `consumer:<id>`. Null for whoever is no user: a provider, the
 * command line, the system itself.
 */
export function userNameOf(actor: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`(case when ${actor} ~ '^consumer:[0-9a-f-]{36}$' then
    (select named.user_name from consumer named where named.id = substr(${actor}, 10)::uuid) end)`
}
