import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import { eventually } from '@despatch/testing/eventually'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { describe, expect, inject, test } from 'vitest'
import { uploadKey } from '../src/keys.ts'
import { connectionsMax } from '../src/s3-requests.ts'
import { aStoreThatAnswers, callNames, calls, key, open } from './a-store.ts'

const { objectStore } = inject('infra')

const answering =
  (status: number, code: string): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code></Error>`)
  }

/** Returns how a call ends: the unavailable dependency, 'absent', 'done', or the name of another error. */
const endOf = (call: Promise<unknown>) =>
  call.then(
    (value) => (value === undefined ? 'absent' : 'done'),
    (error: Error) => unavailableDependency(error) ?? error.name,
  )

describe('the outcome of an answer to a GET', () => {
  test.each([
    [404, 'NoSuchKey', 'absent'],
    [404, 'NoSuchBucket', 'object-store'],
    [404, 'NoSuchUpload', 'object-store'],
    [403, 'AccessDenied', 'object-store'],
    [403, 'InvalidAccessKeyId', 'object-store'],
    [401, 'Unauthorized', 'object-store'],
    [301, 'PermanentRedirect', 'object-store'],
    [400, 'ExpiredToken', 'object-store'],
    [429, 'TooManyRequests', 'object-store'],
    [500, 'InternalError', 'object-store'],
    [503, 'SlowDown', 'object-store'],
    [507, 'InsufficientStorage', 'object-store'],
    [416, 'InvalidRange', 'InvalidRange'],
  ])('%i %s: %s', async (status, code, end) => {
    const objects = await aStoreThatAnswers(answering(status, code))

    expect(await endOf(objects.get(key, { bytesMax: 1 }))).toBe(end)
  })

  test('for the error page of a gateway', async () => {
    const objects = await aStoreThatAnswers((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' })
      response.end('<html><hr></html>')
    })

    expect(await endOf(objects.get(key, { bytesMax: 1 }))).toBe('object-store')
  })
})

test.each(callNames.filter((name) => !name.startsWith('remove')))(
  'a missing bucket is an outage, for %s',
  async (name) => {
    expect(await endOf(calls[name](open({ bucket: 'no-such-bucket' })))).toBe('object-store')
  },
)

test('a missing object is absent, and a missing upload cannot be copied', async () => {
  const objects = open({})

  expect(await objects.head(uploadKey(randomUUID()))).toBeUndefined()
  expect(await objects.getStream(uploadKey(randomUUID()))).toBeUndefined()
  expect(await objects.copy(uploadKey(randomUUID()), key, { etag: 'e' })).toBe('changed')
})

test('a store that refuses or cuts connections is unavailable', async () => {
  await using proxy = await startTcpProxy({ port: Number(new URL(objectStore.endpoint).port) })
  const objects = open({ endpoint: proxy.through(objectStore.endpoint) })
  proxy.refuse()

  expect(await endOf(objects.check())).toBe('object-store')
  expect(await endOf(objects.put(key, Buffer.from('x'), 'text/plain'))).toBe('object-store')

  proxy.resume()
  expect(await endOf(objects.list('files/', { keysMax: 1 }))).toBe('done')
})

test.each(['getStream', 'get'] as const)(
  'an object that breaks off during %s is an outage',
  async (call) => {
    const objects = await aStoreThatAnswers((_request, response) => {
      response.writeHead(200, { 'content-length': '1000000', etag: '"e"' })
      response.write(randomBytes(1_000), () => setImmediate(() => response.destroy()))
    })

    const reading =
      call === 'get'
        ? objects.get(key, { bytesMax: 1_000_000 })
        : objects.getStream(key).then((object) => buffer(object!.stream))

    expect(await endOf(reading)).toBe('object-store')
  },
)

test('a call that fails is repeated twice', async () => {
  const statuses = [503, 500, 200]
  const objects = await aStoreThatAnswers((request, response) => {
    request.resume()
    response.writeHead(statuses.shift() ?? 404, { etag: '"e"' }).end('bytes')
  })

  expect(await objects.get(key, { bytesMax: 5 })).toEqual({
    bytes: new Uint8Array(Buffer.from('bytes')),
    etag: '"e"',
  })
  expect(statuses).toEqual([])
})

test('refuses to read a too large object, and continues to use the store', async () => {
  const objects = await aStoreThatAnswers((request, response) => {
    const bytes = request.url?.includes('uploads') ? 5_000_000 : 5
    response.writeHead(200, { 'content-length': bytes, etag: '"e"' }).end(Buffer.alloc(bytes))
  })

  await expect(objects.get(uploadKey('large'), { bytesMax: 5 })).rejects.toThrow(/over 5 bytes/)
  expect((await objects.get(key, { bytesMax: 5 }))?.bytes).toHaveLength(5)
  await expect(objects.get(key, { bytesMax: 4 })).rejects.toThrow(/over 4 bytes/)
})

test('an unread stream that is dropped releases its connection', async () => {
  const open = new Set<unknown>()
  const objects = await aStoreThatAnswers((_request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    response.writeHead(200, { 'content-length': 5_000_000, etag: '"e"' })
    response.end(Buffer.alloc(5_000_000))
  })

  const dropped = await Promise.all(Array.from({ length: 60 }, dropOne))

  expect(dropped).toHaveLength(60)
  await eventually(() => open.size === 0, { message: 'no answer is under way' })

  async function dropOne() {
    const object = await objects.getStream(key)
    object!.stream.destroy()
  }
})

test('a call that waits for a connection ends when its signal aborts', async () => {
  const asked = Promise.withResolvers<void>()
  let requests = 0
  const objects = await aStoreThatAnswers(() => {
    requests += 1
    if (requests === connectionsMax) asked.resolve()
  })
  const waiting = Array.from({ length: connectionsMax }, () => endOf(objects.head(key)))
  await asked.promise
  const unwanted = new AbortController()

  const call = endOf(objects.remove(key, { signal: unwanted.signal }))
  unwanted.abort()

  expect(await call).toBe('AbortError')
  objects.close()
  await Promise.all(waiting)
})

test('calls of every kind release their connection for the next call', async () => {
  const connections = new Set<unknown>()
  const objects = await aStoreThatAnswers((request, response) => {
    connections.add(request.socket)
    request.resume()
    response.writeHead(200, { etag: '"e"', 'content-length': 5 })
    response.end(request.method === 'HEAD' ? undefined : 'bytes')
  })

  const kinds = ['head', 'get', 'put', 'copy', 'remove'] as const
  for (let round = 0; round < 5; round++) {
    for (const name of kinds) await calls[name](objects)
  }

  // a second one is opened when the end of an answer is not seen before the next call
  expect(connections.size).toBeLessThanOrEqual(2)
})

test('a copy that fails after its start is reported as failed', async () => {
  const objects = await aStoreThatAnswers((request, response) => {
    request.resume()
    response.writeHead(200).end('<Error><Code>InternalError</Code></Error>')
  })

  expect(await endOf(objects.copy(uploadKey('1'), key, { etag: '"e"' }))).toBe('object-store')
})

test('a put sends the hash in its key as the hash of its content', async () => {
  const asked = new Map<string | undefined, string | string[] | undefined>()
  const objects = await aStoreThatAnswers((request, response) => {
    asked.set(request.url, request.headers['x-amz-content-sha256'])
    request.resume()
    response.writeHead(200).end()
  })
  const sha256 = hash('sha256', 'x')

  await objects.put(key, Buffer.from('y'), 'text/plain')
  await objects.put('other', Buffer.from('x'), 'text/plain')

  expect([...asked.values()]).toEqual(['0'.repeat(64), sha256])
})

test('a slow read is an outage, and an aborted read is not', async () => {
  const objects = await aStoreThatAnswers((_request, response) => {
    response.writeHead(200, { 'content-length': '1000000', etag: '"e"' })
    response.write('x')
  })
  const read = (signal: AbortSignal) =>
    endOf(objects.getStream(key, { signal }).then((object) => buffer(object!.stream)))
  const unwanted = new AbortController()

  const reading = read(unwanted.signal)
  unwanted.abort()

  expect(await reading).toBe('AbortError')
  expect(await read(AbortSignal.timeout(100))).toBe('object-store')
})
