import { openPool } from '@despatch/postgres/bounded-pool'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** An open database: `db` for typed queries, `pool` for the few hand-written prepared statements. */
export type Database = { db: Db; pool: pg.Pool; close(): Promise<void> }

export type DatabaseOptions = {
  /** Shown in pg_stat_activity, so that a connection names the service that holds it. */
  name: string
  connectionsMax: number
  /** The server cancels a statement after this many milliseconds. */
  statementTimeoutMs?: number
  /**
   * The server counts as unavailable after this many milliseconds without an answer to a statement. Default: 5 s more
   * than the statement timeout.
   */
  silenceMsMax?: number
  /** Sends the statements of a connection without waiting for the answer to the previous one. */
  pipeline?: boolean
  /**
   * The planner reads no table from end to end if an index has the rows. For a service each of whose statements looks up
   * some rows: neither old statistics nor a plan from when a table was small can make it read a table that has grown.
   */
  prefersIndexes?: boolean
}

/** The code of the error when the server's lock_timeout ends a wait for a lock. */
export const lockNotAvailable = '55P03'

const idleInTransactionTimeoutMs = 10_000
const silenceMarginMs = 5_000

// By default, int8 is returned as text. Our counters and sequences stay far below 2^53.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
// A date is a calendar day, not an instant in the time zone of the machine.
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text)

// As an option of the connection's start, some poolers would refuse it.
const preferIndexes = (client: pg.ClientBase) => client.query('set enable_seqscan = off')

/** Opens a database. Connecting, waiting for an answer and closing all have time limits. */
export function openDatabase(
  url: string,
  {
    name,
    connectionsMax,
    statementTimeoutMs = 30_000,
    silenceMsMax = statementTimeoutMs + silenceMarginMs,
    pipeline = false,
    prefersIndexes = false,
  }: DatabaseOptions,
): Database {
  const { pool, close } = openPool({
    connectionString: url,
    application_name: name,
    max: connectionsMax,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    silenceMsMax,
    pipeline,
    types,
    ...(prefersIndexes && { onConnect: preferIndexes }),
  })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close }
}
