import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import type { RecordSetKind } from '../schema.ts'
import { findUnfinished, lockRecordSet, publishingLock, type RecordSet } from './record-sets.ts'

/** The outcome of a transition of a set. `conflict` says what prevents it. */
export type Moved =
  | { kind: 'moved' | 'unchanged'; set: RecordSet }
  | { kind: 'conflict'; reason: string }
  | { kind: 'unknown' }

/** LOADING → PUBLISHING. From now on, rows are refused. */
export async function beginPublishing(tx: Tx, id: number): Promise<Moved> {
  const set = await lockRecordSet(tx, id)
  if (!set) return { kind: 'unknown' }
  if (set.state === 'PUBLISHING' || set.state === 'CURRENT') return { kind: 'unchanged', set }
  if (set.state !== 'LOADING') return wrongState(set, 'published')
  await lockCurrentOf(tx, set.kind)
  await setState(tx, id, 'PUBLISHING')
  return { kind: 'moved', set }
}

/** PUBLISHING → CURRENT. The previous current set becomes RETIRED. */
export async function finishPublishing(
  tx: Tx,
  { id, recordCount }: { id: number; recordCount: number },
): Promise<Moved> {
  const set = await lockRecordSet(tx, id)
  if (!set) return { kind: 'unknown' }
  if (set.state === 'CURRENT') return { kind: 'unchanged', set }
  if (set.state !== 'PUBLISHING') return wrongState(set, 'published')
  await retireCurrent(tx, set.kind)
  await tx
    .updateTable('record_set')
    .set({ state: 'CURRENT', record_count: recordCount, published_at: sql`now()` })
    .where('id', '=', id)
    .execute()
  return { kind: 'moved', set }
}

/**
 * RETIRED → CURRENT. The previous current set becomes RETIRED. Not possible while a set of the kind is being published,
 * because that set may build on the current one.
 */
export async function makeCurrent(tx: Tx, id: number): Promise<Moved> {
  const set = await lockRecordSet(tx, id)
  if (!set) return { kind: 'unknown' }
  if (set.state === 'CURRENT') return { kind: 'unchanged', set }
  if (set.state !== 'RETIRED') return wrongState(set, 'made current')
  await lockCurrentOf(tx, set.kind)
  const unfinished = await findUnfinished(tx, set.kind)
  if (unfinished?.state === 'PUBLISHING') {
    return { kind: 'conflict', reason: `Record set ${unfinished.id} is being published` }
  }
  await retireCurrent(tx, set.kind)
  await tx
    .updateTable('record_set')
    .set({ state: 'CURRENT', ended_at: null })
    .where('id', '=', id)
    .execute()
  return { kind: 'moved', set }
}

/** LOADING or PUBLISHING → ABANDONED, unless a process is publishing it. Its tables are dropped later. */
export async function abandonSet(tx: Tx, id: number): Promise<Moved> {
  const set = await lockRecordSet(tx, id)
  if (!set) return { kind: 'unknown' }
  if (set.state === 'ABANDONED') return { kind: 'unchanged', set }
  if (set.state !== 'LOADING' && set.state !== 'PUBLISHING') return wrongState(set, 'abandoned')
  if (!(await lockAgainstPublishing(tx, id))) {
    return { kind: 'conflict', reason: `Record set ${id} is being published` }
  }
  await setState(tx, id, 'ABANDONED')
  return { kind: 'moved', set }
}

function wrongState({ id, state }: RecordSet, wanted: string): Moved {
  return { kind: 'conflict', reason: `Record set ${id} is ${state} and cannot be ${wanted}` }
}

/** Spells CURR: the first half of the advisory lock on the current set of a kind. */
const currentLock = 0x43555252

/** Until the transaction ends, no other transaction changes which set is current or begins to build on it. */
async function lockCurrentOf(tx: Tx, kind: RecordSetKind): Promise<void> {
  await sql`select pg_advisory_xact_lock(${currentLock}::int, hashtext(${kind}))`.execute(tx)
}

async function retireCurrent(tx: Tx, kind: RecordSetKind): Promise<void> {
  await tx
    .updateTable('record_set')
    .set({ state: 'RETIRED', ended_at: sql`now()` })
    .where('kind', '=', kind)
    .where('state', '=', 'CURRENT')
    .execute()
}

async function setState(db: Db, id: number, state: 'PUBLISHING' | 'ABANDONED'): Promise<void> {
  await db
    .updateTable('record_set')
    .set({ state, ...(state === 'ABANDONED' && { ended_at: sql`now()` }) })
    .where('id', '=', id)
    .execute()
}

async function lockAgainstPublishing(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${publishingLock}::int, ${id}::int) as locked`.execute(tx)
  return rows[0]?.locked ?? false
}
