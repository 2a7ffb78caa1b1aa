import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseRow } from '@despatch/contracts/records/parse-row'
import { numberMembers, type RecordKind } from '@despatch/contracts/records/record-kinds'
import type { Database } from '@despatch/store/database'
import { type LoadRow, loadChunk } from '@despatch/store/record-set/load'
import { prepareAndPublish } from '@despatch/store/record-set/publish'
import { beginLoading } from '@despatch/store/record-set/record-sets'
import { beginPublishing, finishPublishing } from '@despatch/store/record-set/transitions'
import type { z } from 'zod'
import type { Ground } from '../ground.ts'

export type RecordSource<Row> = {
  kind: RecordKind
  records: Iterable<Row>
  /** The validation rules of an import, and what is stored of a valid row. */
  schema: z.ZodType<Row>
  toLoadRow: (record: Row) => LoadRow
  /** Also receives the records, chunk by chunk. Its time does not count. */
  keep?: (records: readonly Row[]) => Promise<void>
}

/** How long it took to store a set, and to make it the current one. */
export type LoadFigures = {
  setId: number
  rows: number
  loadSeconds: number
  publishSeconds: number
}

// the sizes into which the importer splits a source, and the administration service what it receives
const rowsPerChunk = 5_000
const rowsPerPart = 500
const rowsPerTurn = 50
const reportEveryRows = 100_000

/**
 * Makes records the current set of their kind: takes lines of JSON through the steps of an import. Generating the
 * records does not count.
 */
export async function loadRecordSet<Row>(
  { tell, signal }: Pick<Ground, 'tell' | 'signal'>,
  { db, pool }: Database,
  { kind, records, schema, toLoadRow, keep }: RecordSource<Row>,
): Promise<LoadFigures> {
  const sourceSha256 = hash('sha256', `bench ${kind}`, 'buffer')
  const source = { kind, mode: 'replace', sourceSha256, createdBy: 'bench' } as const
  const { set } = await db.transaction().execute((tx) => beginLoading(tx, source))
  const setId = set.id
  let rows = 0
  let loadMs = 0
  for (const chunk of chunksOf(records, rowsPerChunk)) {
    signal.throwIfAborted()
    const lines = chunk.map((record) => JSON.stringify(record))
    const startedAt = performance.now()
    const parts = parseLines(lines, { schema, toLoadRow })
    const loaded = await loadChunk(pool, {
      setId,
      fromRow: rows,
      parts,
      numberMember: numberMembers[kind],
    })
    if (loaded.kind !== 'loaded' || loaded.rejected.length > 0) {
      throw new Error(`Rows of the ${kind} set were not taken: ${JSON.stringify(loaded)}`)
    }
    loadMs += performance.now() - startedAt
    rows += chunk.length
    await keep?.(chunk)
    if (rows % reportEveryRows === 0) tell(`${kind}s: ${rows.toLocaleString('en-GB')} loaded`)
  }
  tell(`${kind}s: publishing`)
  const publishSeconds = await publish({ db, pool }, setId, signal)
  return { setId, rows, loadSeconds: loadMs / 1000, publishSeconds }
}

async function* parseLines<Row>(
  lines: readonly string[],
  { schema, toLoadRow }: Pick<RecordSource<Row>, 'schema' | 'toLoadRow'>,
): AsyncGenerator<LoadRow[]> {
  for (const some of chunksOf(lines, rowsPerPart)) {
    const part: LoadRow[] = []
    for (const line of some) {
      const parsed = parseRow(Buffer.from(line), schema)
      part.push(parsed.kind === 'row' ? toLoadRow(parsed.row) : parsed)
      if (part.length % rowsPerTurn === 0) await nextTurn()
    }
    yield part
  }
}

function* chunksOf<Item>(items: Iterable<Item>, itemsMax: number): Generator<Item[]> {
  let chunk: Item[] = []
  for (const item of items) {
    chunk.push(item)
    if (chunk.length < itemsMax) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

async function publish(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  setId: number,
  signal: AbortSignal,
): Promise<number> {
  const startedAt = performance.now()
  await db.transaction().execute((tx) => beginPublishing(tx, setId))
  const finish = (recordCount: number) =>
    db.transaction().execute(async (tx) => {
      await finishPublishing(tx, { id: setId, recordCount })
    })
  await prepareAndPublish(pool, { setId, finish, signal })
  return (performance.now() - startedAt) / 1000
}
