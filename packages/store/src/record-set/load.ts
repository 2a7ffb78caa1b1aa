import { pipeline } from 'node:stream/promises'
import { transactOn } from '@despatch/postgres/transact'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { readAhead } from '../read-ahead.ts'
import type { RecordSetKind } from '../schema.ts'
import { copyLine } from './copy-line.ts'
import type { Reject } from './record-sets.ts'
import {
  numberColumns,
  type RecordTable,
  recordColumns,
  recordTables,
  tableOfSet,
} from './tables.ts'

/** A row of a source: the tuples to store under its number, or why it is rejected. */
export type LoadRow =
  | { kind: 'record'; number: string; tuples: Readonly<Partial<Record<RecordTable, Tuples>>> }
  | { kind: 'rejected'; reasons: string[] }

/** Rows of a table, without the id of the set. */
type Tuples = readonly (readonly unknown[])[]

type LoadChunk = {
  setId: number
  /** The number of source rows before the first of these. */
  fromRow: number
  /** The rows in parts: while one part is stored, the next is prepared. */
  parts: AsyncIterable<readonly LoadRow[]>
  /** The name of the number in the reason of a rejection. */
  numberMember: string
}

type Loaded =
  | { kind: 'loaded'; rowsRead: number; accepted: number; rejected: Reject[] }
  | { kind: 'unknown' }
  | { kind: 'not-loading' }
  /** The rows between `rowsRead` and these are missing. */
  | { kind: 'gap'; rowsRead: number }

/**
 * Adds rows to a set that is being loaded, all of them or none. Rows that were read before change nothing and return
 * the same result as before, so a chunk may be sent again, even divided differently.
 */
export function loadChunk(pool: pg.Pool, chunk: LoadChunk): Promise<Loaded> {
  return transactOn(pool, (client) => loadInTransaction(client, chunk))
}

type SetRow = { kind: RecordSetKind; state: string; rows_read: number }

async function loadInTransaction(client: pg.PoolClient, chunk: LoadChunk): Promise<Loaded> {
  const { setId, fromRow, numberMember } = chunk
  const { rows: sets } = await client.query<SetRow>(
    'select kind, state, rows_read from record_set where id = $1 for update',
    [setId],
  )
  const [set] = sets
  if (!set) return { kind: 'unknown' }
  if (set.state !== 'LOADING') return { kind: 'not-loading' }
  const { kind, rows_read: rowsBefore } = set
  if (fromRow > rowsBefore) return { kind: 'gap', rowsRead: rowsBefore }

  let place = fromRow
  let rowsRead = rowsBefore
  const rejected: Reject[] = []
  for await (const part of readAhead(chunk.parts)) {
    const fresh = part.slice(Math.max(rowsBefore - place, 0))
    place += part.length
    rejected.push(...(await store(client, { kind, setId, rowsRead, numberMember }, fresh)))
    rowsRead += fresh.length
  }
  await client.query(
    'update record_set set rows_read = $2, rows_rejected = rows_rejected + $3 where id = $1',
    [setId, rowsRead, rejected.length],
  )
  const until = Math.min(rowsBefore, place)
  const all = [...(await readRejects(client, { setId, after: fromRow, until })), ...rejected]
  return { kind: 'loaded', rowsRead, accepted: place - fromRow - all.length, rejected: all }
}

type Place = { kind: RecordSetKind; setId: number; rowsRead: number; numberMember: string }

/** Stores the rows. Returns the rejected ones. */
async function store(
  client: pg.PoolClient,
  place: Place,
  rows: readonly LoadRow[],
): Promise<Reject[]> {
  const { kind, setId } = place
  const { records, rejected } = await sortOut(client, place, rows)
  for (const table of recordTables[kind]) await copyRecords(client, { table, setId, records })
  await insertRejects(client, setId, rejected)
  return rejected
}

type Accepted = Extract<LoadRow, { kind: 'record' }>
/** Separates the rows that can be stored from the rejected ones, which include repeated numbers. */
async function sortOut(
  client: pg.PoolClient,
  { kind, setId, rowsRead, numberMember }: Place,
  rows: readonly LoadRow[],
): Promise<{ records: Accepted[]; rejected: Reject[] }> {
  const seen = await findLoaded(client, { kind, setId, rows })
  const records: Accepted[] = []
  const rejected: Reject[] = []
  rows.forEach((row, index) => {
    const place = rowsRead + index + 1
    if (row.kind === 'rejected') {
      rejected.push({ row: place, reasons: row.reasons })
    } else if (seen.has(row.number)) {
      rejected.push({ row: place, reasons: [`${numberMember} repeats that of an earlier row`] })
    } else {
      seen.add(row.number)
      records.push(row)
    }
  })
  return { records, rejected }
}

/** Returns the numbers that the set already contains. No other transaction adds to it: its row is locked. */
async function findLoaded(
  client: pg.PoolClient,
  { kind, setId, rows }: { kind: RecordSetKind; setId: number; rows: readonly LoadRow[] },
): Promise<Set<string>> {
  const numbers = rows.flatMap((row) => (row.kind === 'record' ? [row.number] : []))
  if (numbers.length === 0) return new Set()
  const column = numberColumns[kind]
  const { rows: found } = await client.query<{ number: string }>(
    `select number from unnest($2::text[]) as number
     where exists (select from ${tableOfSet(recordTables[kind][0], setId)} where set_id = $1 and ${column} = number)`,
    [setId, numbers],
  )
  return new Set(found.map(({ number }) => number))
}

type Copy = { table: RecordTable; setId: number; records: readonly Accepted[] }

async function copyRecords(client: pg.PoolClient, { table, setId, records }: Copy): Promise<void> {
  if (records.length === 0) return
  const columns = recordColumns[table].join(', ')
  const statement = `copy ${tableOfSet(table, setId)} (${columns}) from stdin`
  const lines = records.map(({ tuples }) =>
    (tuples[table] ?? []).map((tuple) => copyLine([setId, ...tuple])).join(''),
  )
  await pipeline([Buffer.from(lines.join(''))], client.query(copyFrom(statement)))
}

async function insertRejects(
  client: pg.PoolClient,
  setId: number,
  rejected: readonly Reject[],
): Promise<void> {
  if (rejected.length === 0) return
  await client.query(
    `insert into record_set_reject (set_id, row_number, reasons)
     select $1, row_number, array(select json_array_elements_text(reasons))
     from json_to_recordset($2) as reject (row_number bigint, reasons json)`,
    [setId, JSON.stringify(rejected.map(({ row, reasons }) => ({ row_number: row, reasons })))],
  )
}

async function readRejects(
  client: pg.PoolClient,
  { setId, after, until }: { setId: number; after: number; until: number },
): Promise<Reject[]> {
  if (until <= after) return []
  const { rows } = await client.query<Reject>(
    `select row_number as row, reasons from record_set_reject
     where set_id = $1 and row_number > $2 and row_number <= $3 order by row_number`,
    [setId, after, until],
  )
  return rows
}
