import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { ObjectStore } from '@despatch/object-store/object-store'

/** Returns whether the bytes of an object have the hash in its name. Returns false if the object no longer exists. */
export async function hasBytesOfName(
  objects: Pick<ObjectStore, 'getStream'>,
  key: string,
  sha256: string,
): Promise<boolean> {
  const found = await objects.getStream(key)
  if (!found) return false
  const hash = createHash('sha256')
  await pipeline(found.stream, hash)
  return hash.digest('hex') === sha256
}
