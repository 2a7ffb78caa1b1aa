import { documentKey, fileKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { markObjectsForDeletion, type StoredObject } from '@despatch/store/purge/mark-for-deletion'
import { sql } from 'kysely'
import { isInUse } from './removal-leases.ts'

export type OrphanOptions = {
  db: Db
  objects: Pick<ObjectStore, 'head' | 'list'>
  now: () => Date
  keysMax?: number
}

const usualKeysMax = 1_000
const headsAtOnceMax = 8
const hourMs = 60 * 60 * 1000
/** By then, the process that stored the bytes has committed the row that names them, or has died. */
const unnamedMsMin = 24 * hourMs
/** Minimum time between the starts of two walks. */
const restMs = 24 * hourMs

const places = [
  { kind: 'file', prefix: 'files/', name: /^files\/([0-9a-f]{64})$/, keyOf: fileKey },
  {
    kind: 'document',
    prefix: 'documents/',
    name: /^documents\/([0-9a-f]{64})\.pdf$/,
    keyOf: documentKey,
  },
] as const

type Place = (typeof places)[number]
type Walk = { places: Place[]; after: string | undefined }

/**
 * Returns the pass that finds files and documents that no row names, because the process that stored them died before
 * its commit. Each pass reads one page of the bucket. After the last page it pauses until a day after the walk started.
 * Skips objects older than the database, because they belong to another database.
 */
export function createOrphanWalk(options: OrphanOptions): () => Promise<void> {
  let walk: Walk | undefined
  let startedAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    if (!walk) {
      const nowMs = options.now().getTime()
      if (nowMs - startedAtMs < restMs) return
      startedAtMs = nowMs
      walk = { places: [...places], after: undefined }
    }
    const [place] = walk.places
    walk.after = await markOrphansForDeletion(options, place!, walk.after)
    if (walk.after === undefined) walk.places.shift()
    if (walk.places.length === 0) walk = undefined
  }
}

/** Marks the orphans of a page for deletion. Returns where the next page starts, or undefined after the last page. */
async function markOrphansForDeletion(
  options: OrphanOptions,
  { kind, prefix, name, keyOf }: Place,
  after: string | undefined,
): Promise<string | undefined> {
  const { db, objects, keysMax = usualKeysMax } = options
  const keys = await objects.list(prefix, { keysMax, ...(after && { after }) })
  const found = keys.flatMap((key): StoredObject[] => {
    const sha256 = name.exec(key)?.[1]
    return sha256 ? [{ kind, sha256 }] : []
  })
  const unused = await findUnused(db, found)
  await markObjectsForDeletion(db, await keepOld(options, unused, keyOf), 'orphaned')
  return keys.length < keysMax ? undefined : keys.at(-1)
}

async function keepOld(
  { db, objects, now }: OrphanOptions,
  unused: readonly StoredObject[],
  keyOf: (sha256: string) => string,
): Promise<StoredObject[]> {
  if (unused.length === 0) return []
  const bornAt = await findDatabaseBirth(db)
  const newest = new Date(now().getTime() - unnamedMsMin)
  const old: StoredObject[] = []
  for (let from = 0; from < unused.length; from += headsAtOnceMax) {
    const together = unused.slice(from, from + headsAtOnceMax)
    const heads = await Promise.all(together.map(({ sha256 }) => objects.head(keyOf(sha256))))
    old.push(
      ...together.filter((_, index) => {
        const changedAt = heads[index]?.changedAt
        return changedAt && changedAt > bornAt && changedAt < newest
      }),
    )
  }
  return old
}

/** Returns the objects that no print job uses. */
async function findUnused(db: Db, objects: readonly StoredObject[]): Promise<StoredObject[]> {
  const { rows } = await sql<StoredObject>`
    select kind, encode(sha256, 'hex') as sha256 from (
      select kind, decode(sha256, 'hex') as sha256
      from json_to_recordset(${JSON.stringify(objects)}::json) as row (kind text, sha256 text)
    ) stored where not ${isInUse('stored')}`.execute(db)
  return rows
}

/** Finds when the database was created. Older objects in the object store belong to another database. */
async function findDatabaseBirth(db: Db): Promise<Date> {
  const { rows } = await sql<{
    bornAt: Date
  }>`select min(applied_at) as "bornAt" from migration`.execute(db)
  return rows[0]!.bornAt
}
