import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { markObjectsForDeletion } from '@despatch/store/purge/mark-for-deletion'
import { listObjects } from '@despatch/store/purge/objects'
import type { Remover } from './remover.ts'

export type PurgeObjectsContext = {
  db: Db
  objects: Pick<ObjectStore, 'remove'>
  remover: Pick<Remover, 'remove'>
}

const atOnceMax = 8

/** Removes the uploads, files and documents of print jobs, except bytes that another print job uses too. */
export async function purgeObjects(
  { db, objects, remover }: PurgeObjectsContext,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  const { uploadIds, stored } = await listObjects(db, keys)
  await markObjectsForDeletion(db, stored, 'purged')
  for (let from = 0; from < uploadIds.length; from += atOnceMax) {
    const together = uploadIds.slice(from, from + atOnceMax)
    await Promise.all(together.map((id) => objects.remove(uploadKey(id))))
  }
  await remover.remove(stored)
}
