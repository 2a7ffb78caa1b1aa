import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inject, onTestFinished } from 'vitest'
import { fileKey, uploadKey } from '../src/keys.ts'
import { type ObjectStore, type ObjectStoreSettings, openObjectStore } from '../src/object-store.ts'

export const key = fileKey('0'.repeat(64))

type Options = Parameters<typeof openObjectStore>[1]

/** Opens the store of the test run, or another one, until the test ends. */
export function open(settings: Partial<ObjectStoreSettings> = {}, options?: Options): ObjectStore {
  const objects = openObjectStore({ ...inject('infra').objectStore, ...settings }, options)
  onTestFinished(() => objects.close())
  return objects
}

/** Starts a server that answers as told until the test ends. Returns its address. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Opens a store that answers as told. */
export async function aStoreThatAnswers(
  answer: RequestListener,
  options: Options = { requestMsMax: 10_000 },
): Promise<ObjectStore> {
  return open({ endpoint: await serve(answer) }, options)
}

/** A call of each kind. */
export const calls = {
  put: (it: ObjectStore) => it.put(key, Buffer.from('bytes'), 'text/plain'),
  get: (it: ObjectStore) => it.get(key, { bytesMax: 5 }),
  getStream: (it: ObjectStore) => it.getStream(key),
  head: (it: ObjectStore) => it.head(key),
  copy: (it: ObjectStore) => it.copy(uploadKey('1'), key, { etag: '"e"' }),
  remove: (it: ObjectStore) => it.remove(key),
  removeTogether: (it: ObjectStore) => it.removeTogether([key]),
  list: (it: ObjectStore) => it.list('files/', { keysMax: 1 }),
  check: (it: ObjectStore) => it.check(),
}
export const callNames = Object.keys(calls) as (keyof typeof calls)[]
