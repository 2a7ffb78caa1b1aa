import { type RawBuilder, sql } from 'kysely'

/**
 * SQL: makes each connection prepare the statement once, under this name of at most 63 bytes. Later runs are not parsed
 * again and, mostly, not planned again, which is half of what a short statement costs. For statements that run for each
 * letter or in each pass. The text must be the same each time (the driver throws if it is not), and must name the
 * columns that it reads: a migration may add one. The plan may be from when a table was empty, so the connection must
 * prefer indexes (`DatabaseOptions.prefersIndexes`).
 */
export const prepared = (name: string): RawBuilder<unknown> => sql.raw(`/* prepared: ${name} */`)

/** Returns the name under which a statement is to be prepared. */
export const preparedName = (text: string): string | undefined =>
  /\/\* prepared: (.+?) \*\//.exec(text)?.[1]
