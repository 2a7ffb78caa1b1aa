import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { fileKey, uploadKey } from '../src/keys.ts'
import { open, serve } from './a-store.ts'

type Stored = { bytes: Buffer; type: string }

/** A store that copies whatever is at the source, as Ceph does, or one that heeds the condition. */
async function aStore({ heedsConditions }: { heedsConditions: boolean }) {
  const stored = new Map<string, Stored>()
  const requests: string[] = []
  const etagOf = ({ bytes }: Stored) => `"${createHash('md5').update(bytes).digest('hex')}"`

  async function answer(request: IncomingMessage, key: string) {
    const { method, headers } = request
    const copied = headers['x-amz-copy-source']
    requests.push(copied ? `COPY ${key}` : `${method} ${key}`)
    if (method === 'DELETE') {
      stored.delete(key)
      return { status: 204 }
    }
    if (copied) {
      const source = stored.get(String(copied).replace('letters/', ''))
      if (!source) return { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' }
      if (heedsConditions && headers['x-amz-copy-source-if-match'] !== etagOf(source)) {
        return { status: 412, body: '<Error><Code>PreconditionFailed</Code></Error>' }
      }
      stored.set(key, source)
      return { status: 200, body: '<CopyObjectResult/>' }
    }
    if (method === 'PUT') {
      const type = headers['content-type'] ?? ''
      stored.set(key, { bytes: await buffer(request), type })
      return { status: 200 }
    }
    const found = stored.get(key)
    if (!found) return { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' }
    const headersOfIt = { etag: etagOf(found), 'content-type': found.type }
    return { status: 200, headers: headersOfIt, body: found.bytes }
  }

  const endpoint = await serve(async (request, response) => {
    const key = new URL(request.url!, 'http://x').pathname.replace('/letters/', '')
    const { status, headers = {}, body = '' } = await answer(request, key)
    response.writeHead(status, headers).end(body)
  })
  const objects = open({ endpoint, bucket: 'letters' })
  return { objects, stored, requests, etagAt: (key: string) => etagOf(stored.get(key)!) }
}

const aSource = () => uploadKey(randomUUID())
const target = fileKey('ab'.repeat(32))

test.each([true, false])(
  'copies only the content that was read (conditions honoured: %s)',
  async (heedsConditions) => {
    const { objects, stored, requests, etagAt } = await aStore({ heedsConditions })
    const from = aSource()
    await objects.put(from, Buffer.from('what was checked'), 'application/pdf')
    const etag = etagAt(from)
    await objects.put(from, Buffer.from('what came later'), 'application/pdf')

    expect(await objects.copy(from, target, { etag })).toBe('changed')
    expect([...stored.keys()]).toEqual([from])
    expect(requests.filter((request) => request.endsWith(target))).toEqual(
      heedsConditions ? [`COPY ${target}`] : [],
    )

    expect(await objects.copy(from, target, { etag: etagAt(from) })).toBe('copied')
    expect(stored.get(target)).toEqual({
      bytes: Buffer.from('what came later'),
      type: 'application/pdf',
    })
    expect([...stored.keys()]).toEqual([from, target])
  },
)

test.each([true, false])(
  'reports a deleted source as changed (conditions honoured: %s)',
  async (heedsConditions) => {
    const { objects, stored } = await aStore({ heedsConditions })
    const from = aSource()
    const etag = '"a"'

    expect(await objects.copy(from, target, { etag })).toBe('changed')
    await objects.put(from, Buffer.from('what was checked'), 'application/pdf')
    expect(await objects.copy(from, target, { etag })).toBe('changed')
    stored.clear()
    expect(await objects.copy(from, target, { etag })).toBe('changed')
    expect(stored.size).toBe(0)
  },
)

test('only the first copy checks whether the store honours conditions', async () => {
  const { objects, requests, etagAt } = await aStore({ heedsConditions: true })
  const from = aSource()
  await objects.put(from, Buffer.from('what was checked'), 'application/pdf')
  requests.length = 0

  for (const letter of ['a', 'b', 'c']) {
    await objects.copy(from, `files/${letter}`, { etag: etagAt(from) })
  }

  expect(requests).toEqual([
    'COPY uploads/trial-of-conditional-copies',
    ...['COPY files/a', 'COPY files/b', 'COPY files/c'],
  ])
})
