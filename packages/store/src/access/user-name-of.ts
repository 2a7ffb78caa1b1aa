import { type RawBuilder, sql } from 'kysely'

/**
 * SQL for the user name of an actor in the audit log (`consumer:<id>`). Null if the actor is not a user: a provider,
 * the command line or the system.
 */
export function userNameOf(actor: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`(case when ${actor} ~ '^consumer:[0-9a-f-]{36}$' then
    (select named.user_name from consumer named where named.id = substr(${actor}, 10)::uuid) end)`
}
