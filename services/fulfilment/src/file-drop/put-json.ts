import type { ObjectStore } from '@despatch/object-store/object-store'

export async function putJson(
  objects: Pick<ObjectStore, 'put'>,
  key: string,
  value: unknown,
): Promise<void> {
  await objects.put(key, Buffer.from(JSON.stringify(value)), 'application/json')
}
