import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { fileKey, uploadKey } from '../src/keys.ts'
import { openObjectStore } from '../src/object-store.ts'

const objects = await shared(openObjectStore(inject('infra').objectStore))

const anUpload = async (bytes: Uint8Array) => {
  const key = uploadKey(randomUUID())
  const address = await objects.uploadAddress(key, { expiresSeconds: 60 })
  const put = async (content: Uint8Array) => {
    const answer = await fetch(address, { method: 'PUT', body: content as Uint8Array<ArrayBuffer> })
    expect(answer.status).toBe(200)
  }
  await put(bytes)
  return { key, put }
}

test('a stream returns the object with its length and its digest', async () => {
  const bytes = randomBytes(3_000_000)
  const { key } = await anUpload(bytes)

  const object = await objects.getStream(key)

  const { stream, ...head } = object!
  expect((await buffer(stream)).equals(bytes)).toBe(true)
  const { changedAt, ...same } = (await objects.head(key))!
  expect(head).toEqual(same)
  expect(Math.abs(Date.now() - changedAt.getTime())).toBeLessThan(60_000)
})

test('an upload address for a number of bytes accepts exactly that number', async () => {
  const key = uploadKey(randomUUID())
  const address = await objects.uploadAddress(key, { expiresSeconds: 60, bytes: 10 })
  const put = async (bytes: number) =>
    (await fetch(address, { method: 'PUT', body: 'x'.repeat(bytes) })).status

  expect([await put(11), await put(9), await objects.head(key)]).toEqual([403, 403, undefined])
  expect([await put(10), (await objects.head(key))?.bytes]).toEqual([200, 10])
})

test('a missing object has no stream', async () => {
  expect(await objects.getStream(uploadKey(randomUUID()))).toBeUndefined()
})

test('a stream ends when its reader disconnects', async () => {
  const { key } = await anUpload(randomBytes(5_000_000))
  const unwanted = new AbortController()
  const object = await objects.getStream(key, { signal: unwanted.signal })

  unwanted.abort()

  await expect(buffer(object!.stream)).rejects.toThrow(/abort/)
})

/** An object store that accepts every request and answers none. */
async function aSilentStore(options: Parameters<typeof openObjectStore>[1] = {}) {
  const asked = Promise.withResolvers<void>()
  const server = createServer((socket) => void socket.once('data', () => asked.resolve()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const silent = openObjectStore({ ...inject('infra').objectStore, endpoint }, options)
  onTestFinished(() => {
    silent.close()
    server.close()
  })
  return { silent, asked: asked.promise }
}

test.each(['head', 'remove'] as const)(
  'a call of %s to a silent store ends when its signal aborts',
  async (ask) => {
    const { silent, asked } = await aSilentStore()
    const over = new AbortController()

    const asking = silent[ask](fileKey('0'.repeat(64)), { signal: over.signal })
    await asked
    over.abort()

    await expect(asking).rejects.toThrow(/abort/i)
  },
)

test('a call to a silent store fails after its time limit', async () => {
  const { silent } = await aSilentStore({ requestMsMax: 50 })

  await expect(silent.get(fileKey('0'.repeat(64)), { bytesMax: 1 })).rejects.toMatchObject({
    dependency: 'object-store',
    cause: { code: 'UND_ERR_HEADERS_TIMEOUT' },
  })
})

test.each([
  'put',
  'get',
  'getStream',
  'head',
  'copy',
  'remove',
  'removeTogether',
  'list',
  'check',
] as const)(
  'a call of %s to a silent store fails within its deadline, including retries',
  async (ask) => {
    const { silent } = await aSilentStore({ requestMsMax: 200, callMsMax: 100 })
    const key = fileKey('0'.repeat(64))
    const asks = {
      put: () => silent.put(key, randomBytes(10), 'text/plain'),
      get: () => silent.get(key, { bytesMax: 10 }),
      getStream: () => silent.getStream(key),
      head: () => silent.head(key),
      copy: () => silent.copy(key, key, { etag: '"a"' }),
      remove: () => silent.remove(key),
      removeTogether: () => silent.removeTogether([key]),
      list: () => silent.list('files/', { keysMax: 1 }),
      check: () => silent.check(),
    }

    await expect(asks[ask]()).rejects.toMatchObject({
      dependency: 'object-store',
      cause: { message: 'The object store did not respond within 100 ms' },
    })
  },
)

test.each(['get', 'getStream'] as const)(
  'a store that stops in the middle of a body fails %s, and answers again when it is back',
  async (ask) => {
    const settings = inject('infra').objectStore
    const proxy = await startTcpProxy({ port: Number(new URL(settings.endpoint).port) })
    onTestFinished(() => proxy.close())
    const via = openObjectStore(
      { ...settings, endpoint: new URL(proxy.through(settings.endpoint)).origin },
      { stallMsMax: 1_500, requestMsMax: 2_000 },
    )
    onTestFinished(() => via.close())
    const key = fileKey(randomUUID())
    const content = randomBytes(20_000_000)
    await objects.put(key, content, 'text/plain')
    const read = async () => {
      if (ask === 'get') return (await via.get(key, { bytesMax: content.length }))!.bytes
      return buffer((await via.getStream(key))!.stream)
    }

    proxy.hangAfter(1_000_000)
    await expect(read()).rejects.toMatchObject({ dependency: 'object-store' })
    proxy.resume()

    await eventually(async () => content.equals(await read()), { message: 'the object is read' })
  },
)

test('refuses to copy an object that was overwritten since its read', async () => {
  const { key, put } = await anUpload(Buffer.from('what was checked'))
  const object = await objects.getStream(key)
  await buffer(object!.stream)
  const to = fileKey(randomBytes(32).toString('hex'))

  await put(Buffer.from('what came later'))

  expect(await objects.copy(key, to, object!)).toBe('changed')
  expect(await objects.head(to)).toBeUndefined()
})

test('a later upload does not change the copy', async () => {
  const { key, put } = await anUpload(Buffer.from('what was checked'))
  const object = await objects.getStream(key)
  await buffer(object!.stream)
  const to = fileKey(randomBytes(32).toString('hex'))

  expect(await objects.copy(key, to, object!)).toBe('copied')
  await put(Buffer.from('what came later'))

  const copied = await objects.get(to, { bytesMax: 100 })
  expect(Buffer.from(copied!.bytes).toString()).toBe('what was checked')
})

test('copies an object whose name requires URL encoding', async () => {
  const key = `signs/${randomUUID()}/100% + ä?&#.txt`
  await objects.put(key, Buffer.from('signs'), 'text/plain')
  const to = fileKey(randomBytes(32).toString('hex'))

  expect(await objects.copy(key, to, (await objects.head(key))!)).toBe('copied')
  const { bytes, etag } = (await objects.head(key))!
  expect(await objects.head(to)).toMatchObject({ bytes, etag })
})

describe('several objects removed in one request', () => {
  test('are deleted, whether they existed or not, and no other object is', async () => {
    const keys = Array.from({ length: 1_000 }, () => uploadKey(randomUUID()))
    const [kept, ...removed] = keys.slice(0, 3)
    for (const key of [kept!, ...removed]) await objects.put(key, randomBytes(8), 'text/plain')

    expect(await objects.removeTogether(keys.slice(1))).toEqual([])
    expect(await objects.removeTogether([])).toEqual([])

    const left = await Promise.all(keys.slice(0, 3).map((key) => objects.head(key)))
    expect(left.map((head) => head !== undefined)).toEqual([true, ...removed.map(() => false)])
  })

  test('are sent with the MD5 of the request, and the keys that the store refuses are returned', async () => {
    const asked: { body: Buffer; md5: unknown }[] = []
    const server = createHttpServer(async (request, response) => {
      asked.push({ body: await buffer(request), md5: request.headers['content-md5'] })
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(
        `<DeleteResult><Error><Key>files/a</Key><Code>AccessDenied</Code></Error></DeleteResult>`,
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const store = openObjectStore({ ...inject('infra').objectStore, endpoint })
    onTestFinished(() => {
      store.close()
      server.close()
    })

    expect(await store.removeTogether(['files/a', 'files/b'])).toEqual([
      { key: 'files/a', code: 'AccessDenied' },
    ])
    const [{ body, md5 }] = asked as [(typeof asked)[number]]
    expect(md5).toBe(createHash('md5').update(body).digest('base64'))
  })
})

describe('the list of keys', () => {
  async function somePrefix(names: readonly string[]): Promise<string> {
    const prefix = `listed/${randomUUID()}/`
    const left = names.values()
    const putOn = async () => {
      for (const name of left) await objects.put(prefix + name, Buffer.from(name), 'text/plain')
    }
    await Promise.all(Array.from({ length: 16 }, putOn))
    return prefix
  }

  test('has the keys below the prefix in the order of their names, and no others', async () => {
    const prefix = await somePrefix(['b', 'a/2', 'a/1', 'c'])
    await objects.put(`${prefix.slice(0, -1)}x/d`, Buffer.from('d'), 'text/plain')

    expect(await objects.list(prefix, { keysMax: 100 })).toEqual(
      ['a/1', 'a/2', 'b', 'c'].map((name) => prefix + name),
    )
    expect(await objects.list(`${prefix}a/`, { keysMax: 100 })).toEqual([
      `${prefix}a/1`,
      `${prefix}a/2`,
    ])
  })

  test('has at most the requested number of keys', async () => {
    const prefix = await somePrefix(['a', 'b', 'c'])

    expect(await objects.list(prefix, { keysMax: 2 })).toEqual([`${prefix}a`, `${prefix}b`])
  })

  test('starts after a given key, whether that key exists or not', async () => {
    const prefix = await somePrefix(['a', 'c', 'd'])

    expect(await objects.list(prefix, { keysMax: 10, after: `${prefix}c` })).toEqual([`${prefix}d`])
    expect(await objects.list(prefix, { keysMax: 1, after: `${prefix}b` })).toEqual([`${prefix}c`])
  })

  test('continues over the pages of the store', async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => String(index).padStart(4, '0'))
    const prefix = await somePrefix(names)

    expect(await objects.list(prefix, { keysMax: 5_000 })).toEqual(
      names.map((name) => prefix + name),
    )
  })

  test('has the size and the time of the last write, on request', async () => {
    const prefix = await somePrefix(['a'])

    const [listed] = await objects.listWithTimes(prefix, { keysMax: 10 })

    const head = await objects.head(`${prefix}a`)
    expect(listed).toMatchObject({ key: `${prefix}a`, bytes: 1 })
    // the header has no fractions of seconds, and the list of some stores has them
    const apartMs = listed!.changedAt.getTime() - head!.changedAt.getTime()
    expect(Math.floor(apartMs / 1_000)).toBe(0)
  })

  test('is empty where no key exists', async () => {
    expect(await objects.list(`listed/${randomUUID()}/`, { keysMax: 10 })).toEqual([])
  })
})
