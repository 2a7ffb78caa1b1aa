import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** An open database: `db` for typed queries, `pool` for the few hand-written statements that are prepared once. */
export type Database = { db: Db; pool: pg.Pool; close(): Promise<void> }

export type DatabaseOptions = {
  /** Shown in pg_stat_activity, so that a connection names the service that holds it. */
  name: string
  connectionsMax: number
  statementTimeoutMs?: number
  /** Sends the statements of a connection without waiting for the answer to the one before. */
  pipeline?: boolean
}

const idleInTransactionTimeoutMs = 10_000

// int8 comes back as text by default; our counters and sequences stay far below 2^53.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
// a date is a calendar day, not an instant in the machine's time zone
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text)

export function openDatabase(
  url: string,
  { name, connectionsMax, statementTimeoutMs = 30_000, pipeline = false }: DatabaseOptions,
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: connectionsMax,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    pipeline,
    types,
  })
  // An idle connection that breaks is replaced by the pool; the next query reports a lasting fault.
  pool.on('error', () => {})
  // One that breaks while it is in use fails its query; the event that comes besides must not end the process.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close: () => db.destroy() }
}
