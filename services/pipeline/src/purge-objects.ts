import { documentKey, fileKey, uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { isDocumentInUse, isFileInUse, listObjects } from '@despatch/store/purge/objects'

export type RemoveContext = {
  db: Db
  objects: Pick<ObjectStore, 'head' | 'remove'>
  now: () => Date
}

const atOnceMax = 8
/**
 * Bytes that somebody has stored anew so lately may be of a print job that is about to name them: then they are left to its own
 * purge.
 */
const freshMsMax = 60 * 60 * 1000

/** Removes the uploads, files and documents of print jobs, but for those whose bytes another print job has too. */
export async function removeObjects(
  context: RemoveContext,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  const { db, objects } = context
  const { uploadIds, files, documents } = await listObjects(db, keys)
  const removals = [
    ...uploadIds.map((id) => () => objects.remove(uploadKey(id))),
    ...files.map((sha256) => () => {
      return removeUnused(context, fileKey(sha256), () => isFileInUse(db, sha256))
    }),
    ...documents.map((sha256) => () => {
      return removeUnused(context, documentKey(sha256), () => isDocumentInUse(db, sha256))
    }),
  ]
  for (let from = 0; from < removals.length; from += atOnceMax) {
    await Promise.all(removals.slice(from, from + atOnceMax).map((remove) => remove()))
  }
}

async function removeUnused(
  { objects, now }: RemoveContext,
  key: string,
  isInUse: () => Promise<boolean>,
): Promise<void> {
  if (await isInUse()) return
  // The last look before it goes: whoever stores these bytes while the database is asked is seen here.
  const head = await objects.head(key)
  if (!head || now().getTime() - head.changedAt.getTime() < freshMsMax) return
  await objects.remove(key)
}
