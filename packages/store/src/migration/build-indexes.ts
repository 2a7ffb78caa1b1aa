import type pg from 'pg'

/** The first line of a migration, or a part of one, whose statements run one by one, without a transaction. */
const concurrentlyMarker = '-- concurrently'

const create = /^create (?:unique )?index concurrently (\w+) on /i
const drop = /^drop index concurrently if exists \w+$/i

/** Returns the parts of a migration, which its lines `-- commit` divide. */
export function partsOf(sql: string): string[] {
  return sql.split(/^-- commit\n/m)
}

export function isConcurrent(sql: string): boolean {
  return sql.startsWith(`${concurrentlyMarker}\n`)
}

/**
 * Builds and drops indexes while the table is read and written. Can be repeated after an interruption at any moment: a
 * complete index is kept, and one that a failed build left behind (INVALID) is dropped and built again. Throws if the
 * migration contains any other statement.
 */
export async function buildIndexes(client: pg.Client, sql: string): Promise<void> {
  const statements = statementsOf(sql)
  const other = statements.find((statement) => !create.test(statement) && !drop.test(statement))
  if (other) {
    throw new Error(
      `after "${concurrentlyMarker}" there may only be "create index concurrently <name> on" and "drop index concurrently if exists <name>"`,
    )
  }
  for (const statement of statements) {
    const index = create.exec(statement)?.[1]
    if (index === undefined || (await prepareIndex(client, index))) await client.query(statement)
  }
}

/** Drops an INVALID index. Returns whether the index must be built. */
async function prepareIndex(client: pg.Client, index: string): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  if (rows[0]?.valid) return false
  if (rows[0]) await client.query(`drop index concurrently ${index}`)
  return true
}

export function statementsOf(sql: string): string[] {
  return sql
    .replace(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter(Boolean)
}
