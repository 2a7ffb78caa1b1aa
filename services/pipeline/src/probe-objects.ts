import type { ObjectStore } from '@despatch/object-store/object-store'

/** Among the documents, so that it needs no rights that these do not need. The walk for orphans passes it over. */
const probeKey = 'documents/probe'
const bytes = Buffer.from('probe')

/** Writes and reads an object, since a store whose disk is full still answers reads. Rejects when it cannot. */
export async function probeObjects(objects: Pick<ObjectStore, 'put' | 'get'>): Promise<void> {
  await objects.put(probeKey, bytes, 'text/plain')
  await objects.get(probeKey, { bytesMax: bytes.length })
}
