import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import { type RawBuilder, sql } from 'kysely'

/** The columns that contain sealed values. */
export const sealedColumns = [
  'signing-key',
  'callback-secret',
  'test-callback',
  'print-job-callback',
  'search-key',
] as const
export type SealedColumn = (typeof sealedColumns)[number]

/** A value that is not sealed with the current key. */
export type StaleValue = {
  id: string
  sealed: Buffer
}

type Place = {
  table: RawBuilder<unknown>
  id: RawBuilder<unknown>
  idType: RawBuilder<unknown>
  sealed: RawBuilder<unknown>
  /** The rows that may contain a value, as the condition of an index on the id; otherwise every row. */
  among: RawBuilder<unknown>
}

const everyRow = { among: sql`true` }
const uuid = { id: sql`id`, idType: sql`uuid` }

const places: Readonly<Record<SealedColumn, Place>> = {
  'signing-key': {
    ...everyRow,
    table: sql`signing_key`,
    id: sql`kid`,
    idType: sql`text`,
    sealed: sql`private_key_sealed`,
  },
  'callback-secret': {
    ...everyRow,
    ...uuid,
    table: sql`callback_secret`,
    sealed: sql`secret_sealed`,
  },
  'test-callback': {
    ...uuid,
    table: sql`callback`,
    sealed: sql`destination_sealed`,
    among: sql`kind = 'test'`,
  },
  'print-job-callback': {
    ...everyRow,
    table: sql`print_job`,
    id: sql`key`,
    idType: sql`uuid`,
    sealed: sql`callback_destination_sealed`,
  },
  'search-key': {
    ...everyRow,
    table: sql`search_key`,
    id: sql`id`,
    idType: sql`integer`,
    sealed: sql`key_sealed`,
  },
}

type Walk = {
  /** The id of the current key: the first byte of every value that it sealed. */
  keyId: number
  /** The position of the walk. */
  after?: string | undefined
  rowsMax: number
}

/**
 * Continues a walk in primary key order, over at most `rowsMax` rows. Returns the ids of those with a stale value. The
 * cost does not depend on where they are, and requires no index that each insert would have to maintain. `lastId` is
 * where to continue; undefined: the walk is complete.
 */
export async function listStaleValues(
  db: Db,
  place: SealedColumn,
  { keyId, after, rowsMax }: Walk,
): Promise<{ ids: string[]; lastId: string | undefined }> {
  const { table, id, idType, among } = places[place]
  const { rows } = await sql<{ ids: string[]; lastId: string | null; walked: number }>`
    with walked as materialized (
      select ${id} as id, ${isStale(place, keyId)} as is_stale from ${table}
      where ${among} and (${after ?? null}::${idType} is null or ${id} > ${after ?? null}::${idType})
      order by ${id} limit ${rowsMax}
    )
    select coalesce(array_agg(id::text) filter (where is_stale), '{}') as ids, count(*) as walked,
      (select id::text from walked order by id desc limit 1) as "lastId"
    from walked`.execute(db)
  const { ids, lastId, walked } = rows[0]!
  return { ids, lastId: walked < rowsMax ? undefined : (lastId ?? undefined) }
}

/**
 * Replaces each stale value with the result of `reseal`, in one transaction. If `reseal` returns undefined, the value
 * stays and its id is returned in `unreadable`. Skips values that another transaction has locked, or that have been
 * resealed in the meantime.
 */
export async function resealValues(
  db: Db,
  place: SealedColumn,
  {
    ids,
    keyId,
    reseal,
  }: {
    ids: readonly string[]
    keyId: number
    reseal: (value: StaleValue) => Buffer | undefined
  },
): Promise<{ resealed: number; unreadable: string[] }> {
  const { table, id, idType, sealed } = places[place]
  return transact(db, async (tx) => {
    const { rows } = await sql<StaleValue>`
      select ${id}::text as id, ${sealed} as sealed from ${table}
      where ${id} = any (${ids}::${idType}[]) and ${isStale(place, keyId)}
      order by ${id} for no key update skip locked`.execute(tx)
    const made = rows.map((value) => ({ id: value.id, sealed: reseal(value) }))
    const fresh = made.filter((value) => value.sealed !== undefined)
    if (fresh.length > 0) {
      const freshIds = sql`${fresh.map((value) => value.id)}::${idType}[]`
      // The condition on the ids prevents a sequential scan of a large table.
      await sql`
        update ${table} set ${sealed} = fresh.sealed
        from unnest(${freshIds}, ${fresh.map((value) => value.sealed)}::bytea[]) as fresh (id, sealed)
        where ${table}.${id} = fresh.id and ${table}.${id} = any (${freshIds})`.execute(tx)
    }
    const unreadable = made.filter((value) => value.sealed === undefined)
    return { resealed: fresh.length, unreadable: unreadable.map((value) => value.id) }
  })
}

/** Whether a value is sealed with another key than the current one. A null is not. */
function isStale(place: SealedColumn, keyId: number): RawBuilder<unknown> {
  const { sealed } = places[place]
  return sql`coalesce(substr(${sealed}, 1, 1) <> ${Buffer.of(keyId)}::bytea, false)`
}
