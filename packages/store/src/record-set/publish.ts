import { setTimeout as pause } from 'node:timers/promises'
import { allowSilence } from '@despatch/postgres/bounded-client'
import type pg from 'pg'
import type { RecordSetKind, RecordSetMode } from '../schema.ts'
import { publishingLock } from './record-sets.ts'
import {
  numberColumns,
  type RecordTable,
  recordColumns,
  recordTables,
  tableOfSet,
} from './tables.ts'

const readersWaitMs = 5_000
const pollMs = 5
/**
 * The limit for one statement that copies a set or builds its indexes. The server enforces it, and the client's limit
 * is a minute longer.
 */
const statementMinutesMax = 120
const silenceMsMax = (statementMinutesMax + 1) * 60_000

type Publication = {
  setId: number
  /** Called once this process has the publishing lock, which others can see. */
  onBegun?: () => void
  /** Makes the set current. */
  finish(recordCount: number): Promise<void>
  /** When aborted, the database's current work is cancelled. */
  signal: AbortSignal
  /** Records that one transaction copies from the current set. */
  recordsMax?: number
}

/** A transaction that copies so many takes seconds, so vacuum is not held up for as long as a whole set takes. */
const copiedRecordsMax = 20_000

/**
 * Prepares a set in PUBLISHING to become current: completes it from the current set if it is an update, builds its
 * indexes, and attaches its tables. Nothing of it is visible in the meantime. Then calls `finish`, which makes it
 * current. Continues where an earlier try was interrupted, wherever that was. Returns false if another process is
 * publishing it.
 */
export async function prepareAndPublish(
  pool: pg.Pool,
  { setId, onBegun = () => {}, finish, signal, recordsMax = copiedRecordsMax }: Publication,
): Promise<boolean> {
  const client = await pool.connect()
  const cancel = await cancellerOf(pool, client)
  signal.addEventListener('abort', cancel)
  try {
    signal.throwIfAborted()
    if (!(await lockPublishing(client, setId))) {
      return false
    }
    onBegun()
    await client.query(`set statement_timeout = '${statementMinutesMax}min'`)
    allowSilence(client, silenceMsMax)
    const set = await readPublishing(client, setId)
    if (set) {
      await client.query('select prepare_record_set($1)', [setId])
      if (set.mode === 'update') await completeFromCurrent(client, set, recordsMax)
      for (const table of recordTables[set.kind]) await attach(client, table, setId)
      await waitForEarlierReaders(client, set.kind)
      signal.throwIfAborted()
      await finish(await countRecords(client, set))
    }
    // The end of the session also releases the lock, but some time after the callers that wait for this have continued.
    await client.query('select pg_advisory_unlock($1, $2)', [publishingLock, setId])
    return true
  } finally {
    signal.removeEventListener('abort', cancel)
    // Closes the session with its settings and, after a failure, its lock.
    client.release(true)
  }
}

async function cancellerOf(pool: pg.Pool, client: pg.PoolClient): Promise<() => void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  // Ends the session instead of its statement, so that an abort between two statements is not lost.
  return () => void pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]).catch(() => {})
}

type Publishing = { id: number; kind: RecordSetKind; mode: RecordSetMode }

async function lockPublishing(client: pg.PoolClient, setId: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1, $2) as locked',
    [publishingLock, setId],
  )
  return rows[0]?.locked ?? false
}

async function readPublishing(
  client: pg.PoolClient,
  setId: number,
): Promise<Publishing | undefined> {
  const { rows } = await client.query<Publishing>(
    "select id, kind, mode from record_set where id = $1 and state = 'PUBLISHING'",
    [setId],
  )
  return rows[0]
}

/**
 * Copies the records that the set does not contain from the current set, which stays current in the meantime, in the
 * order of their numbers. Repeating it adds nothing: all rows of a number are copied in one transaction.
 */
async function completeFromCurrent(
  client: pg.PoolClient,
  { id, kind }: Publishing,
  recordsMax: number,
): Promise<void> {
  const current = await findCurrent(client, kind)
  if (current === undefined) return
  const [records] = recordTables[kind]
  const number = numberColumns[kind]
  for (let after: string | null = null; ; ) {
    const until: string | null = await findStepEnd(client, { kind, current, after, recordsMax })
    if (until === null) return
    const range = [after, until]
    await inTransaction(client, async () => {
      // the table of the numbers comes last: until then it shows which of these numbers the set has
      for (const table of recordTables[kind].toReversed()) {
        const columns = recordColumns[table].slice(1).join(', ')
        await client.query(
          `insert into ${tableOfSet(table, id)} (set_id, ${columns})
           select ${id}, ${columns} from ${tableOfSet(table, current)} as known
           where set_id = ${current} and ($1::text is null or ${number} > $1) and ${number} <= $2
             and not exists (select from ${tableOfSet(records, id)} as given where given.set_id = ${id} and given.${number} = known.${number})`,
          range,
        )
      }
    })
    after = until
  }
}

/** Returns the last number of the next step after a number; null: the current set has no further numbers. */
async function findStepEnd(
  client: pg.PoolClient,
  step: { kind: RecordSetKind; current: number; after: string | null; recordsMax: number },
): Promise<string | null> {
  const { kind, current, after, recordsMax } = step
  const number = numberColumns[kind]
  const { rows } = await client.query<{ until: string | null }>(
    `select max(number) as until from (
       select ${number} as number from ${tableOfSet(recordTables[kind][0], current)}
       where set_id = ${current} and ($1::text is null or ${number} > $1) order by 1 limit ${recordsMax}) next`,
    [after],
  )
  return rows[0]!.until
}

async function findCurrent(
  client: pg.PoolClient,
  kind: RecordSetKind,
): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>(
    "select id from record_set where kind = $1 and state = 'CURRENT'",
    [kind],
  )
  return rows[0]?.id
}

/** Attaching builds the missing indexes. Readers of the current set are not blocked. */
async function attach(client: pg.PoolClient, table: RecordTable, setId: number): Promise<void> {
  const name = tableOfSet(table, setId)
  if (await isAttached(client, name)) return
  await inTransaction(client, async () => {
    await client.query("set local maintenance_work_mem = '256MB'")
    await client.query('set local max_parallel_maintenance_workers = 2')
    await client.query('select attach_record_table($1, $2)', [table, setId])
  })
  // VACUUM also sets the hint bits and the visibility map, so that the first readers do not have to.
  await client.query(`vacuum (analyze) ${name}`)
}

async function isAttached(client: pg.PoolClient, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_inherits where inhrelid = $1::regclass', [
    name,
  ])
  return rowCount === 1
}

/**
 * A statement may have been planned before its partition was attached, and look up the current set a moment later. It
 * must not find this set, which its plan does not include. So this waits for the transactions that use the table now,
 * but not for ever: a statement that has run for seconds has looked up the set long ago.
 */
async function waitForEarlierReaders(client: pg.PoolClient, kind: RecordSetKind): Promise<void> {
  const tables = [...recordTables[kind]]
  const { rows } = await client.query<{ holder: string }>(
    `select virtualtransaction as holder from pg_locks
     where relation = any ($1::regclass[]) and granted and pid <> pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database())`,
    [tables],
  )
  const holders = rows.map(({ holder }) => holder)
  const deadline = performance.now() + readersWaitMs
  while (performance.now() < deadline && (await isAnyThere(client, holders))) await pause(pollMs)
}

async function isAnyThere(client: pg.PoolClient, holders: readonly string[]): Promise<boolean> {
  if (holders.length === 0) return false
  const { rows } = await client.query<{ there: boolean }>(
    'select exists (select from pg_locks where virtualtransaction = any ($1)) as there',
    [holders],
  )
  return rows[0]?.there ?? false
}

async function countRecords(client: pg.PoolClient, { id, kind }: Publishing): Promise<number> {
  const { rows } = await client.query<{ records: number }>(
    `select count(*) as records from ${tableOfSet(recordTables[kind][0], id)}`,
  )
  return rows[0]?.records ?? 0
}

/** Does not use `transact`: the session ends with the connection, and the next try continues where this one stopped. */
async function inTransaction(client: pg.PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  // If it fails, prepareAndPublish ends the session.
  await work()
  await client.query('commit')
}
