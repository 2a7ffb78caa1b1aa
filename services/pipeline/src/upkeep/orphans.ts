import { storedKey } from '@despatch/object-store/keys'
import type { ListedObject, ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { markObjectsForDeletion, type StoredObject } from '@despatch/store/purge/mark-for-deletion'
import { Counter, type Registry } from '@despatch/telemetry/metrics'
import { sql } from 'kysely'
import { isInUse } from './removal-leases.ts'

type OrphanOptions = {
  db: Db
  objects: Pick<ObjectStore, 'listWithTimes'>
  registry: Registry
  now: () => Date
  keysMax?: number
}

const usualKeysMax = 1_000
const hourMs = 60 * 60 * 1000
/** By then, the process that stored the bytes has committed the row that names them, or has died. */
export const unnamedMsMin = 24 * hourMs
/** Minimum time between the starts of two walks over a part of the bucket. */
const restHours = 24
/** After this time, another process takes over the page of a process that died. */
const leaseSeconds = 120

const namePattern = /^(file|document)s\/([0-9a-f]{64})(?:\.pdf)?$/

/**
 * Returns the pass that finds files and documents that no row names, because the process that stored them died before
 * its commit. Each pass examines one page of a part of the bucket. Several processes share the walk, and a restart
 * continues it. A part is walked again a day after its walk began. Skips objects older than the database, because they
 * belong to another database. Returns 'idle' if no part is due.
 */
export function createOrphanWalk(
  options: OrphanOptions,
): (closing?: AbortSignal) => Promise<'again' | 'idle'> {
  const { db, objects, registry, keysMax = usualKeysMax } = options
  const examined = new Counter({
    name: 'orphan_walk_keys_total',
    help: 'Objects of the bucket that the walk for orphans has examined',
    registers: [registry],
  })
  return async (closing) => {
    const page = await takePage(db)
    if (!page) return 'idle'
    const { prefix, after } = page
    const listed = await objects.listWithTimes(prefix, {
      keysMax,
      ...(after !== null && { after }),
      ...(closing && { signal: closing }),
    })
    await markOrphans(options, listed)
    const isComplete = listed.length < keysMax
    await endPage(db, page, { after: listed.at(-1)?.key ?? after, isComplete })
    examined.inc(listed.length)
    return 'again'
  }
}

type Page = {
  prefix: string
  /** The page begins after this key. Null: at the first key of the part. */
  after: string | null
  lease: string
}

/** Leases the next page of a part of the bucket that no other process examines. Parts that have begun come first. */
async function takePage(db: Db): Promise<Page | undefined> {
  const { rows } = await sql<Page>`
    with part as (
      select prefix from orphan_walk
      where (lease_until is null or lease_until < now())
        and (not is_complete or started_at is null or started_at < now() - ${restHours}::integer * interval '1 hour')
      order by is_complete, started_at nulls first, prefix limit 1 for update skip locked
    )
    update orphan_walk walk set
      after = case when is_complete then null else after end,
      started_at = case when is_complete then now() else started_at end,
      is_complete = false,
      lease_until = clock_timestamp() + ${leaseSeconds}::integer * interval '1 second'
    from part where walk.prefix = part.prefix
    returning walk.prefix, after, lease_until::text as lease`.execute(db)
  return rows[0]
}

/** Records that a page was examined. Does nothing if another process has taken the page over. */
async function endPage(
  db: Db,
  { prefix, lease }: Page,
  { after, isComplete }: { after: string | null; isComplete: boolean },
): Promise<void> {
  await sql`
    update orphan_walk set after = ${after}, is_complete = ${isComplete}, lease_until = null
    where prefix = ${prefix} and lease_until = ${lease}::timestamptz`.execute(db)
}

/** Marks for deletion the objects of a page that are old enough and that no row names. */
async function markOrphans(
  { db, now }: OrphanOptions,
  listed: readonly ListedObject[],
): Promise<void> {
  const newest = new Date(now().getTime() - unnamedMsMin)
  const old = listed.flatMap(({ key, changedAt }) => {
    const [, kind, sha256 = ''] = namePattern.exec(key) ?? []
    const object = { kind: kind as StoredObject['kind'], sha256, changedAt }
    return storedKey(object) === key && changedAt < newest ? [object] : []
  })
  const unused = new Set((await listUnused(db, old)).map(({ sha256 }) => sha256))
  if (unused.size === 0) return
  const bornAt = await findDatabaseBirth(db)
  const orphans = old.filter(({ sha256, changedAt }) => unused.has(sha256) && changedAt > bornAt)
  await markObjectsForDeletion(db, orphans, 'orphaned')
}

/** Returns the objects that no print job uses. */
async function listUnused(db: Db, objects: readonly StoredObject[]): Promise<StoredObject[]> {
  if (objects.length === 0) return []
  const { rows } = await sql<StoredObject>`
    select kind, encode(sha256, 'hex') as sha256 from (
      select kind, decode(sha256, 'hex') as sha256
      from json_to_recordset(${JSON.stringify(objects)}::json) as row (kind text, sha256 text)
    ) stored where not ${isInUse('stored')}`.execute(db)
  return rows
}

/** Finds when the database was created. Older objects in the object store belong to another database. */
export async function findDatabaseBirth(db: Db): Promise<Date> {
  const { rows } = await sql<{
    bornAt: Date
  }>`select min(applied_at) as "bornAt" from migration`.execute(db)
  return rows[0]!.bornAt
}
