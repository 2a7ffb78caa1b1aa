import type { ObjectStore } from '@despatch/object-store/object-store'

/**
 * Writes bytes to a key as somebody with access to the bucket could. The object store's own `put` names the SHA-256 in
 * a key to the store, and a store that checks it refuses other bytes.
 */
export async function replaceObject(
  objects: Pick<ObjectStore, 'uploadAddress'>,
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const address = await objects.uploadAddress(key, { expiresSeconds: 60 })
  const { status } = await fetch(address, { method: 'PUT', body: bytes })
  if (status !== 200) throw new Error(`The object store answered ${status}`)
}
