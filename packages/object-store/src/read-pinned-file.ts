import { hash } from 'node:crypto'
import { fileKey } from './keys.ts'
import type { ObjectStore } from './object-store.ts'

/** Returns the bytes of a pinned file. Throws if they are missing or differ from what was pinned. */
export async function readPinnedFile(
  objects: ObjectStore,
  { sha256, bytes: bytesExpected }: { sha256: string; bytes: number },
  signal?: AbortSignal | undefined,
): Promise<Uint8Array> {
  const object = await objects.get(fileKey(sha256), { bytesMax: bytesExpected, signal })
  if (!object) throw new Error('A pinned file is missing')
  if (hash('sha256', object.bytes) !== sha256)
    throw new Error('A pinned file differs from its hash')
  return object.bytes
}
