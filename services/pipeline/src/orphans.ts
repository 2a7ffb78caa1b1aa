import { documentKey, fileKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { doomObjects, type StoredObject } from '@despatch/store/purge/doomed'
import { findDatabaseBirth, findUnused } from '@despatch/store/purge/objects'

export type OrphanOptions = {
  db: Db
  objects: Pick<ObjectStore, 'head' | 'list'>
  now: () => Date
  keysMax?: number
}

const usualKeysMax = 1_000
const headsAtOnceMax = 8
const hourMs = 60 * 60 * 1000
/** Whoever stored bytes this long ago to name them has done so, or never will. */
const unnamedMsMin = 24 * hourMs
/** Between the beginnings of two walks. */
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
 * Makes the pass that looks for files and documents that nobody names, since what stored them died before it could name them.
 * Each pass reads one page of the bucket, and once all is read the walk rests for the remainder of a day. Objects that are
 * older than the database are not its own.
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
    walk.after = await doomOrphans(options, place!, walk.after)
    if (walk.after === undefined) walk.places.shift()
    if (walk.places.length === 0) walk = undefined
  }
}

/** Dooms the orphans of a page, and gives where to go on; undefined: that was all. */
async function doomOrphans(
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
  await doomObjects(db, await keepOld(options, unused, keyOf), 'orphaned')
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
