import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { fileKey, uploadKey } from '../src/keys.ts'
import { openObjectStore } from '../src/object-store.ts'
import { aStoreThatAnswers, callNames, calls, key, open } from './a-store.ts'

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

test('a stream ends when its reader disconnects', async () => {
  const { key } = await anUpload(randomBytes(5_000_000))
  const unwanted = new AbortController()
  const object = await objects.getStream(key, { signal: unwanted.signal })

  unwanted.abort()

  await expect(buffer(object!.stream)).rejects.toThrow(/abort/)
})

test.each(['head', 'remove'] as const)(
  'a call of %s to a silent store ends when its signal aborts',
  async (ask) => {
    const asked = Promise.withResolvers<void>()
    const silent = await aStoreThatAnswers(() => asked.resolve())
    const over = new AbortController()

    const asking = silent[ask](key, { signal: over.signal })
    await asked.promise
    over.abort()

    await expect(asking).rejects.toThrow(/abort/i)
  },
)

test('a call to a silent store fails after its time limit', async () => {
  const silent = await aStoreThatAnswers(() => {}, { requestMsMax: 50 })

  await expect(calls.get(silent)).rejects.toMatchObject({
    dependency: 'object-store',
    cause: { code: 'UND_ERR_HEADERS_TIMEOUT' },
  })
})

test.each(callNames)(
  'a call of %s to a silent store fails within its deadline, including retries',
  async (ask) => {
    const silent = await aStoreThatAnswers(() => {}, { requestMsMax: 200, callMsMax: 100 })

    await expect(calls[ask](silent)).rejects.toMatchObject({
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
    const via = open(
      { endpoint: new URL(proxy.through(settings.endpoint)).origin },
      { stallMsMax: 1_500, requestMsMax: 2_000 },
    )
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

test('copies an object as it was read, and not once it is overwritten', async () => {
  const { key, put } = await anUpload(Buffer.from('what was checked'))
  const object = (await objects.getStream(key))!
  await buffer(object.stream)
  const [early, late] = [randomBytes(32), randomBytes(32)].map((hash) =>
    fileKey(hash.toString('hex')),
  ) as [string, string]

  expect(await objects.copy(key, early, object)).toBe('copied')
  await put(Buffer.from('what came later'))
  expect(await objects.copy(key, late, object)).toBe('changed')

  const copied = await objects.get(early, { bytesMax: 100 })
  expect(Buffer.from(copied!.bytes).toString()).toBe('what was checked')
  expect(await objects.head(late)).toBeUndefined()
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
    const store = await aStoreThatAnswers(async (request, response) => {
      asked.push({ body: await buffer(request), md5: request.headers['content-md5'] })
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(
        `<DeleteResult><Error><Key>files/a</Key><Code>AccessDenied</Code></Error></DeleteResult>`,
      )
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

  test('has the keys below the prefix, in the order of their names and after a given key', async () => {
    const prefix = await somePrefix(['b', 'a/2', 'a/1', 'd'])
    await objects.put(`${prefix.slice(0, -1)}x/d`, Buffer.from('d'), 'text/plain')
    const list = async (under: string, options: { keysMax: number; after?: string }) =>
      (await objects.list(prefix + under, options)).map((name) => name.slice(prefix.length))

    expect(await list('', { keysMax: 100 })).toEqual(['a/1', 'a/2', 'b', 'd'])
    expect(await list('a/', { keysMax: 100 })).toEqual(['a/1', 'a/2'])
    expect(await list('', { keysMax: 2 })).toEqual(['a/1', 'a/2'])
    expect(await list('', { keysMax: 10, after: `${prefix}b` })).toEqual(['d'])
    expect(await list('', { keysMax: 1, after: `${prefix}a/3` })).toEqual(['b'])
    expect(await list('none/', { keysMax: 10 })).toEqual([])
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
})
