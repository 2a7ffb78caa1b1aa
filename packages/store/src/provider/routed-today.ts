import { type RawBuilder, sql } from 'kysely'

/** SQL for the London day of now, as the kept counts name it. */
export const today = sql<string>`to_char(now() at time zone 'Europe/London', 'YYYY-MM-DD')`

/**
 * SQL for a table of `site` and `documents`: how many documents each site got on a London day (YYYY-MM-DD), by the kept
 * counts. A document counts on the day on which it was put into its print run, until it leaves it, is refused or is
 * recalled. `siteKey` returns the site.
 */
export function routedOn(day: RawBuilder<string> | string) {
  return sql<{ site: string; documents: number }>`(
    select subject as site, count as documents from current_count where what = 'routed' and state = ${day})`
}

/** SQL for the name of a site among the kept counts. `site` is a table with its columns. */
export function siteKey(site: string): RawBuilder<string> {
  return sql<string>`(${sql.ref(`${site}.provider_id`)} || ' ' || ${sql.ref(`${site}.print_location`)})`
}
