import type { ObjectStore } from '@despatch/object-store/object-store'
import type { FileDropKeys } from './layout.ts'

/** Writes a JSON file into a provider's folder. */
export async function putJson(
  objects: Pick<ObjectStore, 'put'>,
  key: string,
  value: unknown,
): Promise<void> {
  await objects.put(key, Buffer.from(JSON.stringify(value)), 'application/json')
}

const keysMax = 1_000_000
const removalsAtOnce = 8

/** Removes the personal information of a print run from a provider's folder. Repeating it is safe. */
export async function clearRun(
  objects: Pick<ObjectStore, 'list' | 'remove'>,
  keys: FileDropKeys,
  batchNumber: string,
): Promise<void> {
  const documents = await objects.list(keys.documents(batchNumber), { keysMax })
  const left = [...documents, keys.templateData(batchNumber)].values()
  const removeOn = async () => {
    for (const key of left) await objects.remove(key)
  }
  await Promise.all(Array.from({ length: removalsAtOnce }, removeOn))
}
