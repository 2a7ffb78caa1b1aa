import { type Database, openDatabase } from '@despatch/store/database'
import { migrate } from '@despatch/store/migrate'
import type pg from 'pg'
import type { DatabaseServer } from './database-server.ts'

/** What callers, their credentials and their limits are in. */
const tables = ['consumer', 'contract', 'print_site', 'provider', 'signing_key', 'usage_plan']

/**
 * Runs `seed` with a database and returns its result. If the database is of the previous release, whose columns our code
 * does not know, the rows are made in a second one with the newest schema, and the columns that both have are copied.
 */
export async function seedDatabase<Result>(
  server: DatabaseServer,
  databaseUrl: string,
  seed: (database: Database) => Promise<Result>,
): Promise<Result> {
  await using parts = new AsyncDisposableStack()
  const open = (url: string) => {
    const database = openDatabase(url, { name: 'faults', connectionsMax: 1 })
    parts.defer(() => database.close())
    return database
  }
  const database = open(databaseUrl)
  if (server.releaseTree === undefined) return await seed(database)
  const newestUrl = await server.addDatabase()
  await migrate(newestUrl)
  const newest = open(newestUrl)
  const result = await seed(newest)
  await copyRows(newest.pool, database.pool)
  return result
}

async function copyRows(from: pg.Pool, pool: pg.Pool): Promise<void> {
  const to = await pool.connect()
  await to.query('begin')
  // neither the order of the tables nor triggers matter
  await to.query('set local session_replication_role = replica')
  for (const table of tables) {
    const known = new Set(await listColumns(from, table))
    const columns = (await listColumns(to, table)).filter((column) => known.has(column))
    const { rows } = await from.query(`select to_jsonb(${table}) as row from ${table}`)
    await to.query(`delete from ${table}`)
    await to.query(
      `insert into ${table} (${columns}) select ${columns}
       from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows.map(({ row }) => row))],
    )
  }
  await to.query('commit')
  to.release()
}

async function listColumns(pool: pg.Pool | pg.PoolClient, table: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     order by attnum`,
    [table],
  )
  return rows.map(({ name }) => name)
}
