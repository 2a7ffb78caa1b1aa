import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import { transact } from './transact.ts'

/** Where values are kept that a secret key has sealed. */
export const sealedPlaces = [
  'signing-key',
  'callback-secret',
  'test-callback',
  'print-job-callback',
] as const
export type SealedPlace = (typeof sealedPlaces)[number]

/** A value that the current key has not sealed. */
export type StaleValue = {
  id: string
  /** Null for a print job whose target is still in the clear. */
  sealed: Buffer | null
  clearTarget: string | null
  /** The credentials beside a target in the clear. */
  authenticationSealed: Buffer | null
}

type Place = {
  table: RawBuilder<unknown>
  id: RawBuilder<unknown>
  idType: RawBuilder<unknown>
  sealed: RawBuilder<unknown>
  /** The rows that may hold a value, by a condition that an index over the id spells out; else every row. */
  among: RawBuilder<unknown>
  hasClearTarget: RawBuilder<unknown>
  /** What a value that was found in the clear consists of. */
  clearColumns: RawBuilder<unknown>
  /** What is set besides the value. */
  alsoSets: RawBuilder<unknown>
}

const nothingClear = {
  among: sql`true`,
  hasClearTarget: sql`false`,
  clearColumns: sql`null as "clearTarget", null as "authenticationSealed"`,
  alsoSets: sql``,
}
const uuid = { id: sql`id`, idType: sql`uuid` }

const places: Readonly<Record<SealedPlace, Place>> = {
  'signing-key': {
    ...nothingClear,
    table: sql`signing_key`,
    id: sql`kid`,
    idType: sql`text`,
    sealed: sql`private_key_sealed`,
  },
  'callback-secret': {
    ...nothingClear,
    ...uuid,
    table: sql`callback_secret`,
    sealed: sql`secret_sealed`,
  },
  'test-callback': {
    ...nothingClear,
    ...uuid,
    table: sql`callback`,
    sealed: sql`destination_sealed`,
    among: sql`kind = 'test'`,
  },
  'print-job-callback': {
    table: sql`print_job`,
    id: sql`key`,
    idType: sql`uuid`,
    sealed: sql`callback_destination_sealed`,
    among: sql`true`,
    hasClearTarget: sql`callback_params ? 'target'`,
    clearColumns: sql`callback_params ->> 'target' as "clearTarget",
      callback_authentication_sealed as "authenticationSealed"`,
    // that there are params at all says that callbacks are wanted
    alsoSets: sql`, callback_params = callback_params - 'target', callback_authentication_sealed = null`,
  },
}

export type Walk = {
  /** The id of the current key: the first byte of what it sealed. */
  keyId: number
  /** Where the walk has come to. */
  after?: string | undefined
  rowsMax: number
}

/**
 * Walks on by the primary key, over at most `rowsMax` rows, and gives the ids of those with a stale value. It costs the same
 * wherever they are, and no index that each insert would pay for. `lastId` is where to walk on from; undefined: that was all.
 */
export async function findStaleValues(
  db: Db,
  place: SealedPlace,
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
 * Puts what `reseal` makes of each stale value in its place, in one transaction. A value of which it makes nothing is left, and
 * its id given. One that somebody else holds at this moment, or has sealed meanwhile, is passed over.
 */
export async function resealValues(
  db: Db,
  place: SealedPlace,
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
  const { table, id, idType, sealed, clearColumns, alsoSets } = places[place]
  return transact(db, async (tx) => {
    const { rows } = await sql<StaleValue>`
      select ${id}::text as id, ${sealed} as sealed, ${clearColumns} from ${table}
      where ${id} = any (${ids}::${idType}[]) and ${isStale(place, keyId)}
      order by ${id} for no key update skip locked`.execute(tx)
    const made = rows.map((value) => ({ id: value.id, sealed: reseal(value) }))
    const fresh = made.filter((value) => value.sealed !== undefined)
    if (fresh.length > 0) {
      const freshIds = sql`${fresh.map((value) => value.id)}::${idType}[]`
      // the condition on the ids keeps the planner from reading a table of some size whole
      await sql`
        update ${table} set ${sealed} = fresh.sealed ${alsoSets}
        from unnest(${freshIds}, ${fresh.map((value) => value.sealed)}::bytea[]) as fresh (id, sealed)
        where ${table}.${id} = fresh.id and ${table}.${id} = any (${freshIds})`.execute(tx)
    }
    const unreadable = made.filter((value) => value.sealed === undefined)
    return { resealed: fresh.length, unreadable: unreadable.map((value) => value.id) }
  })
}

/** Sealed with another key than the current one, or not sealed yet. An empty value counts too, which has no first byte. */
function isStale(place: SealedPlace, keyId: number): RawBuilder<unknown> {
  const { sealed, hasClearTarget } = places[place]
  return sql`coalesce(substr(${sealed}, 1, 1) <> ${Buffer.of(keyId)}::bytea, ${hasClearTarget}, false)`
}
