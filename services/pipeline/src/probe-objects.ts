import type { ObjectStore } from '@despatch/object-store/object-store'

/**
 * Lies under the prefix of documents, so that it requires no other permissions than they do. The orphan walk skips it.
 */
const probeKey = 'documents/probe'
const bytes = Buffer.from('probe')

/** Writes and reads an object, because a store with a full disk still answers reads. Rejects if either fails. */
export async function probeObjects(objects: Pick<ObjectStore, 'put' | 'get'>): Promise<void> {
  await objects.put(probeKey, bytes, 'text/plain')
  await objects.get(probeKey, { bytesMax: bytes.length })
}
