import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import type { RecordSetKind, RecordSetMode, RecordSetState } from '../schema.ts'

/** A complete set of records of one kind, with the progress of its loading. */
export type RecordSet = {
  id: number
  kind: RecordSetKind
  mode: RecordSetMode
  state: RecordSetState
  sourceSha256: Buffer
  /** Rows of the source that were stored or rejected: loading continues after them. */
  rowsRead: number
  rowsRejected: number
  /** Null: not published yet. */
  recordCount: number | null
  /** True: a process is publishing it at this moment. */
  isBeingPublished: boolean
  createdBy: string
  createdAt: Date
  publishedAt: Date | null
  endedAt: Date | null
}

type RecordSource = {
  kind: RecordSetKind
  mode: RecordSetMode
  sourceSha256: Buffer
  createdBy: string
}

type Begun = { kind: 'begun' | 'resumed' | 'conflict'; set: RecordSet }

/**
 * Begins a set with its own tables, or finds the unfinished set of the same source and mode. Returns `conflict` if a
 * set of another source or mode is unfinished.
 */
export async function beginLoading(tx: Tx, source: RecordSource): Promise<Begun> {
  const inserted = await tx
    .insertInto('record_set')
    .values({
      kind: source.kind,
      mode: source.mode,
      state: 'LOADING',
      source_sha256: source.sourceSha256,
      created_by: source.createdBy,
    })
    .onConflict((conflict) =>
      conflict.columns(['kind']).where('state', 'in', ['LOADING', 'PUBLISHING']).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  if (inserted) {
    await prepareTables(tx, inserted.id)
    return { kind: 'begun', set: await getRecordSet(tx, inserted.id) }
  }
  const set = await findUnfinished(tx, source.kind)
  // the set was finished between the two statements
  if (!set) return beginLoading(tx, source)
  const isSame = set.mode === source.mode && set.sourceSha256.equals(source.sourceSha256)
  // another role may have created them
  if (isSame) await prepareTables(tx, set.id)
  return { kind: isSame ? 'resumed' : 'conflict', set }
}

/**
 * Creates the tables of a set unless they exist, and lets this service fill them. Requires the right to execute
 * prepare_record_set.
 */
async function prepareTables(tx: Tx, setId: number): Promise<void> {
  await sql`select prepare_record_set(${setId}::bigint)`.execute(tx)
}

export async function findRecordSet(db: Db, id: number): Promise<RecordSet | undefined> {
  return selectRecordSets(db).where('id', '=', id).executeTakeFirst()
}

/** Finds the set of a kind that is being loaded or published. */
export async function findUnfinished(db: Db, kind: RecordSetKind): Promise<RecordSet | undefined> {
  return selectRecordSets(db)
    .where('kind', '=', kind)
    .where('state', 'in', ['LOADING', 'PUBLISHING'])
    .executeTakeFirst()
}

/** Gets a set, which must exist. */
export async function getRecordSet(db: Db, id: number): Promise<RecordSet> {
  return selectRecordSets(db).where('id', '=', id).executeTakeFirstOrThrow()
}

/** Reads a set and locks it until the transaction ends. */
export async function lockRecordSet(tx: Tx, id: number): Promise<RecordSet | undefined> {
  return selectRecordSets(tx).where('id', '=', id).forUpdate('record_set').executeTakeFirst()
}

type RecordSetPage = {
  kind?: RecordSetKind | undefined
  /** The id of the last set of the previous page. */
  before?: string | undefined
  setsMax: number
}

/** Lists imported record sets, newest first. */
export async function listRecordSetPage(
  db: Db,
  { kind, before, setsMax }: RecordSetPage,
): Promise<RecordSet[]> {
  return selectRecordSets(db)
    .where('kind', 'in', kind ? [kind] : ['driver', 'vehicle'])
    .$if(before !== undefined, (query) => query.where('id', '<', Number(before)))
    .orderBy('id', 'desc')
    .limit(setsMax)
    .execute()
}

export type Reject = { row: number; reasons: string[] }

/** Lists the rejected rows of the source, in order, after the row `after`. */
export async function listRejectPage(
  db: Db,
  { setId, after, rejectsMax }: { setId: number; after: number; rejectsMax: number },
): Promise<Reject[]> {
  return db
    .selectFrom('record_set_reject')
    .select(['row_number as row', 'reasons'])
    .where('set_id', '=', setId)
    .where('row_number', '>', after)
    .orderBy('row_number')
    .limit(rejectsMax)
    .execute()
}

/** Spells RSET: the first half of the advisory lock that a process holds while it publishes a set. */
export const publishingLock = 0x52534554

function selectRecordSets(db: Db) {
  return db
    .selectFrom('record_set')
    .select([
      'id',
      'kind',
      'mode',
      'state',
      'source_sha256 as sourceSha256',
      'rows_read as rowsRead',
      'rows_rejected as rowsRejected',
      'record_count as recordCount',
      'created_by as createdBy',
      'created_at as createdAt',
      'published_at as publishedAt',
      'ended_at as endedAt',
    ])
    .select(
      sql<boolean>`state = 'PUBLISHING' and exists (
        select from pg_locks
        where locktype = 'advisory' and granted and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())
          and classid = ${sql.lit(publishingLock)} and objid = (record_set.id % 2147483648)::oid)`.as(
        'isBeingPublished',
      ),
    )
}
