import { uploadKey } from '@despatch/object-store/keys'
import type { ListedObject, ObjectStore } from '@despatch/object-store/object-store'
import { isUuid } from '@despatch/store/is-uuid'
import { listUnknownUploads, markOversized } from '@despatch/store/print-job/uploads'
import { findDatabaseBirth, unnamedMsMin } from '../upkeep/orphans.ts'
import type { SweepOptions } from './sweep.ts'

/** The limit of S3 for one request to delete. */
const uploadsMax = 1_000
const prefix = uploadKey('')

type Upload = Omit<ListedObject, 'key'> & { id: string }

/**
 * Returns the pass that examines a page of the uploads in the bucket. It deletes those that are larger than the limit,
 * except those that quarantine is about to refuse; a store that enforces the limit has none. It also deletes those that
 * no row names and that are a day old: a slow PUT may end after its row was deleted, and a database may be restored to an
 * earlier time. The walk begins again at its end.
 */
export function createUploadWalk(options: SweepOptions) {
  const { objects, outages } = options
  let after: string | undefined
  return () =>
    outages.unlessAway(['object-store'], 'sweep', async () => {
      const page = await objects.listWithTimes(prefix, {
        keysMax: uploadsMax,
        ...(after && { after }),
      })
      const uploads = page
        .map(({ key, ...upload }) => ({ ...upload, id: key.slice(prefix.length) }))
        .filter(({ id }) => isUuid(id))
      await removeOversized(options, uploads)
      await removeOrphans(options, uploads)
      after = page.length < uploadsMax ? undefined : page.at(-1)?.key
    })
}

async function removeOversized(
  { db, objects, uploadBytesMax, onFound }: SweepOptions,
  uploads: readonly Upload[],
): Promise<void> {
  const large = uploads.filter(({ bytes }) => bytes > uploadBytesMax)
  const marked = await markOversized(
    db,
    large.map(({ id, bytes }) => ({ id, bytes })),
  )
  await removeUploads(objects, [...marked])
  onFound('oversized-upload', marked.size)
}

/** Without its row, an upload cannot be used. Older ones than the database belong to another database. */
async function removeOrphans(
  { db, objects, onFound, now = () => new Date() }: SweepOptions,
  uploads: readonly Upload[],
): Promise<void> {
  const newest = new Date(now().getTime() - unnamedMsMin)
  const old = uploads.filter(({ changedAt }) => changedAt < newest)
  const unknown = new Set(
    await listUnknownUploads(
      db,
      old.map(({ id }) => id),
    ),
  )
  if (unknown.size === 0) return
  const bornAt = await findDatabaseBirth(db)
  const orphans = old.filter(({ id, changedAt }) => unknown.has(id) && changedAt > bornAt)
  await removeUploads(
    objects,
    orphans.map(({ id }) => id),
  )
  onFound('orphaned-upload', orphans.length)
}

export async function removeUploads(
  objects: Pick<ObjectStore, 'removeTogether'>,
  ids: readonly string[],
): Promise<void> {
  const [refused] = await objects.removeTogether(ids.map(uploadKey))
  if (refused) throw new Error(`The object store refused to delete an upload: ${refused.code}`)
}
