import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readlink, rm, stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EmbeddedObjectStore, startObjectStore } from '../src/object-store.ts'
import { presign, signCall } from './signed-request.ts'
import { aDirectory } from './temporary-directory.ts'

async function aStore(directory?: string, options: { linkBytesMax?: number } = {}) {
  const store = await startObjectStore({
    directory: directory ?? (await aDirectory()),
    bucket: 'letters',
    ...options,
  })
  onTestFinished(store.stop)
  return store
}

async function put(
  store: EmbeddedObjectStore,
  key: string,
  body: string,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(presign(store, { method: 'PUT', key, headers }), {
    method: 'PUT',
    body,
    headers,
  })
  return { status: answer.status, etag: answer.headers.get('etag'), text: await answer.text() }
}

/** Begins an upload by a link, on a connection of its own: sends these headers, and then this part of the body. */
function beginUpload(store: EmbeddedObjectStore, header: string, part = '') {
  const { host, hostname, port, pathname, search } = new URL(
    presign(store, { method: 'PUT', key: 'uploads/1' }),
  )
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${header}\r\n\r\n${part}`)
  return socket
}

/** What the other side sends first. */
async function firstAnswer(socket: Socket): Promise<string> {
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return answer.toString()
}

/** Sends what need not be a whole request. */
function sendRaw({ endpoint }: EmbeddedObjectStore, request: string): Socket {
  const { hostname, port } = new URL(endpoint)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.write(request)
  return socket
}

async function get(store: EmbeddedObjectStore, key: string) {
  const answer = await fetch(presign(store, { key }))
  return { status: answer.status, text: await answer.text() }
}

test('keeps its objects, key and address over a restart', async () => {
  const directory = await aDirectory()
  const first = await startObjectStore({ directory, bucket: 'letters' })
  await put(first, 'uploads/1', 'bytes')
  const link = presign(first, { key: 'uploads/1' })
  await first.stop()

  const second = await aStore(directory)

  expect({ ...second, stop: null }).toEqual({ ...first, stop: null })
  expect(await (await fetch(link)).text()).toBe('bytes')
  expect((await stat(join(directory, 'key'))).mode & 0o777).toBe(0o600)
})

test('an object without its metadata file still has its digest', async () => {
  const directory = await aDirectory()
  const first = await startObjectStore({ directory, bucket: 'letters' })
  const { etag } = await put(first, 'k', 'hello', { 'content-type': 'application/pdf' })
  await first.stop()
  await rm(join(directory, 'objects/letters/k._S3rver_metadata.json'))

  const store = await aStore(directory)

  const { headers } = await fetch(presign(store, { key: 'k' }))
  expect([headers.get('etag'), headers.get('content-type')]).toEqual([
    etag,
    'application/octet-stream',
  ])
})

test('uses the key that it is given', async () => {
  const key = { accessKeyId: 'OURS', secretAccessKey: 'secret' }
  const store = await startObjectStore({ directory: await aDirectory(), bucket: 'b', ...key })
  onTestFinished(store.stop)

  expect(store).toMatchObject(key)
  expect(await put(store, 'k', 'x')).toMatchObject({ status: 200 })
})

test('an object has a length, a type and a digest, and does not exist after its deletion', async () => {
  const store = await aStore()
  await put(store, 'uploads/1', 'hello', { 'content-type': 'application/pdf' })

  const head = await fetch(presign(store, { method: 'HEAD', key: 'uploads/1' }), { method: 'HEAD' })
  const removed = await fetch(presign(store, { method: 'DELETE', key: 'uploads/1' }), {
    method: 'DELETE',
  })

  expect(Object.fromEntries(head.headers)).toMatchObject({
    'content-length': '5',
    'content-type': 'application/pdf',
    etag: '"5d41402abc4b2a76b9719d911017c592"',
  })
  expect(removed.status).toBe(204)
  expect((await get(store, 'uploads/1')).status).toBe(404)
})

describe('a request is refused', () => {
  const minute = 60_000
  const refusals: {
    name: string
    request: (store: EmbeddedObjectStore) => [string, RequestInit]
  }[] = [
    {
      name: 'without a signature',
      request: (store) => [`${store.endpoint}/letters/uploads/1`, {}],
    },
    {
      name: 'without a signature, as a form',
      request: (store) => {
        const body = new FormData()
        body.set('key', 'uploads/1')
        body.set('file', new Blob(['forged']))
        return [`${store.endpoint}/letters`, { method: 'POST', body }]
      },
    },
    {
      name: 'with a forged signature',
      request: (store) => [
        presign({ ...store, secretAccessKey: 'guessed' }, { method: 'PUT', key: 'uploads/1' }),
        { method: 'PUT', body: 'forged' },
      ],
    },
    {
      name: 'with another access key',
      request: (store) => [
        presign({ ...store, accessKeyId: 'ANOTHER' }, { method: 'PUT', key: 'uploads/1' }),
        { method: 'PUT', body: 'forged' },
      ],
    },
    {
      name: 'by a link that is expired',
      request: (store) => [
        presign(store, { key: 'uploads/1', signedAt: new Date(Date.now() - 2 * minute) }),
        {},
      ],
    },
    {
      name: 'by a link for another object',
      request: (store) => [
        presign(store, { method: 'PUT', key: 'uploads/2' }).replace('uploads/2', 'uploads/1'),
        { method: 'PUT', body: 'forged' },
      ],
    },
    {
      name: 'by a link for another method',
      request: (store) => [
        presign(store, { method: 'GET', key: 'uploads/1' }),
        { method: 'PUT', body: 'forged' },
      ],
    },
    {
      name: 'by an upload link that a header turns into a copy of somebody else’s object',
      request: (store) => [
        presign(store, { method: 'PUT', key: 'uploads/1' }),
        { method: 'PUT', headers: { 'x-amz-copy-source': '/letters/secret' } },
      ],
    },
  ]

  test.each(refusals)('$name', async ({ request }) => {
    const store = await aStore()
    await put(store, 'uploads/1', 'genuine')
    await put(store, 'secret', 'of another')

    const answer = await fetch(...request(store))

    expect(answer.status).toBe(403)
    expect(await get(store, 'uploads/1')).toEqual({ status: 200, text: 'genuine' })
  })
})

describe('an upload link allows only its upload', () => {
  const attacks: [string, string, number, Record<string, string>?][] = [
    ['writes no part of another upload', '?&uploadId=../../x&partNumber=y', 400],
    ['copies nothing by a parameter', '?&x-amz-copy-source=letters/secret', 400],
    ['copies nothing by a parameter that is added', '&x-amz-copy-source=letters%2Fsecret', 403],
    ['takes no other parameter', '&tagging=', 403],
    [
      'takes no pieces that are signed by themselves',
      '',
      403,
      { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' },
    ],
    ['takes no broken escape', '&a=%zz', 400],
  ]

  test.each(attacks)('so it %s', async (_name, added, status, headers = {}) => {
    const directory = await aDirectory()
    const store = await aStore(directory)
    await put(store, 'uploads/1', 'genuine')
    await put(store, 'secret', 'of another')
    const files = async () => (await readdir(directory, { recursive: true })).sort()
    const before = await files()

    const url = `${presign(store, { method: 'PUT', key: 'uploads/1' })}${added}`
    const answer = await fetch(url, { method: 'PUT', body: '', headers })

    expect(answer.status).toBe(status)
    expect(await files()).toEqual(before)
    expect(await get(store, 'uploads/1')).toEqual({ status: 200, text: 'genuine' })
  })

  test.each([
    ['no path', 'GET letters HTTP/1.1'],
    ['a broken escape', 'GET /letters/%zz HTTP/1.1'],
    ['a path above the root', 'GET /letters/../../key HTTP/1.1'],
    ['a null byte', 'GET /letters/%00 HTTP/1.1'],
    ['no host', 'GET /letters/a HTTP/1.0'],
  ])('answers a request with %s, and the next request too', async (_name, line) => {
    const store = await aStore()
    const socket = sendRaw(store, `${line}\r\nconnection: close\r\n\r\n`)

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 40[03] /)
    expect(await put(store, 'uploads/1', 'x')).toMatchObject({ status: 200 })
  })

  test('refuses a body in signed pieces even with a valid key', async () => {
    const store = await aStore()
    const headers = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' }

    expect(await call(store, { method: 'PUT', key: 'k', headers })).toMatchObject({
      status: 400,
      text: expect.stringContaining('<Code>InvalidRequest</Code>'),
    })
  })
})

async function call(store: EmbeddedObjectStore, options: Parameters<typeof signCall>[1]) {
  const { method, url, headers, body } = signCall(store, options)
  const { host: _, ...sent } = headers as Record<string, string>
  const answer = await fetch(url, { method, headers: sent, ...(body && { body }) })
  return { status: answer.status, text: await answer.text() }
}

describe('refuses a body that does not have the given digest', () => {
  const digests = {
    'content-md5': ['XUFAKrxLKna5cZ2REBfFkg==', 'ICy5YqxZB1uWSwcVLSNLcA==', 'BadDigest'],
    'x-amz-checksum-sha1': [
      'qvTGHdzF6KLavt4PO0gs2a6pQ00=',
      'QL0AFWMIX8NRZTKeof9cXsvbvu4=',
      'BadDigest',
    ],
    'x-amz-checksum-sha256': [
      'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
      'pmWkWSBCL51Bfkhn79xPuKBKHz//H6B+mY6G9/eieuM=',
      'BadDigest',
    ],
    'x-amz-checksum-crc32': ['NhCmhg==', '8iWhcw==', 'BadDigest'],
    'x-amz-content-sha256': [
      '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      'a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3',
      'XAmzContentSHA256Mismatch',
    ],
  } as const

  test.each(Object.entries(digests))('as %s', async (name, [right, wrong, code]) => {
    const directory = await aDirectory()
    const store = await aStore(directory)
    const send = (digest: string) =>
      call(store, { method: 'PUT', key: 'k', body: 'hello', headers: { [name]: digest } })

    const refused = await send(wrong)
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining(code) })
    expect((await get(store, 'k')).status).toBe(404)
    expect(await readdir(join(directory, 'incoming'))).toEqual([])
    expect(await send(right)).toMatchObject({ status: 200 })
  })

  test('or a list of objects to delete', async () => {
    const store = await aStore()
    await put(store, 'a', 'x')
    const body = '<Delete><Object><Key>a</Key></Object></Delete>'
    const query = { delete: '' }
    const md5 = createHash('md5').update(body).digest('base64')
    const remove = (digest: string, sent: string) =>
      call(store, { method: 'POST', query, body: sent, headers: { 'content-md5': digest } })

    expect(await remove(md5, body.replace('a<', 'b<'))).toMatchObject({ status: 400 })
    expect((await get(store, 'a')).status).toBe(200)
    expect(await remove(md5, body)).toMatchObject({ status: 200 })
    expect((await get(store, 'a')).status).toBe(404)
  })
})

test.each([
  ['bytes=1-3', 206, 'ell', 'bytes 1-3/5'],
  ['bytes=3-', 206, 'lo', 'bytes 3-4/5'],
  ['bytes=-2', 206, 'lo', 'bytes 3-4/5'],
  ['bytes=-9', 206, 'hello', 'bytes 0-4/5'],
  ['bytes=4-99', 206, 'o', 'bytes 4-4/5'],
  ['bytes=0-0,2-2', 200, 'hello', null],
  ['bytes=3-1', 200, 'hello', null],
  ['lines=1-2', 200, 'hello', null],
])('answers the range %s with %i', async (range, status, body, contentRange) => {
  const store = await aStore()
  await put(store, 'k', 'hello')

  const answer = await fetch(presign(store, { key: 'k' }), { headers: { range } })

  expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
    status,
    body,
    contentRange,
  ])
})

test.each([
  ['bytes=5-', 'hello'],
  ['bytes=-0', 'hello'],
  ['bytes=0-', ''],
])('refuses the range %s of "%s", which has no byte', async (range, content) => {
  const store = await aStore()
  await put(store, 'k', content)

  expect((await fetch(presign(store, { key: 'k' }), { headers: { range } })).status).toBe(416)
})

test('keys with any characters are listed and deleted unchanged', async () => {
  const store = await aStore()
  const keys = ['a & <b>', "d'ä (1)/e+f%20.pdf", 'z;"?#']
  for (const key of keys) {
    await call(store, { method: 'PUT', key, body: 'x' })
  }
  const listed = async () => {
    const { text } = await call(store, { method: 'GET', query: { 'list-type': '2' } })
    return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key)
  }

  expect(await listed()).toEqual(['a &amp; &lt;b&gt;', "d'ä (1)/e+f%20.pdf", 'z;&quot;?#'])
  const objects = (await listed()).map((key) => `<Object><Key>${key}</Key></Object>`).join('\n')
  const body = `<Delete>\n${objects}<Quiet>true</Quiet></Delete>`
  expect(await call(store, { method: 'POST', query: { delete: '' }, body })).toEqual({
    status: 200,
    text: expect.not.stringContaining('<Error>'),
  })
  expect(await listed()).toEqual([])
})

test('an invalid key in a list of objects to delete is reported with its reason', async () => {
  const store = await aStore()
  const body = '<Delete><Object><Key>../key</Key></Object></Delete>'

  const { text } = await call(store, { method: 'POST', query: { delete: '' }, body })

  expect(text).toContain('<Error><Key>../key</Key><Code>InvalidArgument</Code></Error>')
})

test.each([
  '<Delete>',
  '<Delete/>',
  'hello',
  '<Delete><Object><Key>a</Key></Object>',
  '<Delete><Object/></Delete>',
  '<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>',
  '<Delete><Object><Key>a</Key><VersionId>1</VersionId></Object></Delete>',
  '<Delete><Object><Key>a</Key>b</Object></Delete>',
  '<Delete><Object><Key>a&#xD800;</Key></Object></Delete>',
  '<Delete><Object><Key>a&secret;</Key></Object></Delete>',
  '<Delete><Object><Key>a & b</Key></Object></Delete>',
  '<!DOCTYPE d [<!ENTITY secret "a">]><Delete><Object><Key>&secret;</Key></Object></Delete>',
])('refuses the list of objects to delete: %j', async (body) => {
  const store = await aStore()

  expect(await call(store, { method: 'POST', query: { delete: '' }, body })).toMatchObject({
    status: 400,
    text: expect.stringContaining('MalformedXML'),
  })
})

test('character references in a key to delete are decoded', async () => {
  const store = await aStore()
  for (const key of ["a&b'c", 'undefined']) await call(store, { method: 'PUT', key, body: 'x' })
  const body =
    '<Delete><Object><Key>a&#38;b&#x27;c</Key></Object><Object><Key>a&#0;</Key></Object></Delete>'

  const answer = await call(store, { method: 'POST', query: { delete: '' }, body })

  expect(answer.text).toContain('<Code>InvalidArgument</Code>')
  const listed = await call(store, { method: 'GET', query: { 'list-type': '2' } })
  expect(listed.text.match(/<Key>[^<]*/g)).toEqual(['<Key>undefined'])
})

describe('a conditional header is honoured or refused, never ignored', () => {
  const refused: [string, Parameters<typeof signCall>[1]][] = [
    ['a deletion', { method: 'DELETE', key: 'k', headers: { 'if-match': '"00"' } }],
    [
      'a copy',
      {
        method: 'PUT',
        key: 'k',
        headers: { 'x-amz-copy-source': 'letters/other', 'if-none-match': '*' },
      },
    ],
    ['a write', { method: 'PUT', key: 'k', body: 'x', headers: { 'if-match': '"00"' } }],
  ]

  test.each(refused)('as %s', async (_name, options) => {
    const store = await aStore()
    await put(store, 'k', 'genuine')
    await put(store, 'other', 'another')

    expect(await call(store, options)).toMatchObject({ status: 400 })
    expect(await get(store, 'k')).toEqual({ status: 200, text: 'genuine' })
  })

  test('as a read of an object that has changed', async () => {
    const store = await aStore()
    const { etag } = await put(store, 'k', 'hello')
    const read = async (headers: Record<string, string>) => {
      const answer = await fetch(presign(store, { key: 'k' }), { headers })
      return [answer.status, answer.ok && (await answer.text())]
    }

    expect(await read({ 'if-match': etag! })).toEqual([200, 'hello'])
    expect(await read({ 'if-match': '"00"' })).toEqual([412, false])
    expect(await read({ range: 'bytes=0-1', 'if-range': etag! })).toEqual([206, 'he'])
    expect(await read({ range: 'bytes=0-1', 'if-range': '"00"' })).toEqual([200, 'hello'])
  })
})

test('refuses an object that declares a too large size before it arrives', async () => {
  const store = await aStore(undefined, { linkBytesMax: 1_000 })

  const answer = await firstAnswer(beginUpload(store, 'content-length: 1001'))

  expect(answer).toMatch(/^HTTP\/1\.1 400 .*<Code>EntityTooLarge<\/Code>/s)
})

test.each([
  ['headers that are too large', `GET / HTTP/1.1\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ['a method in small letters', 'get / HTTP/1.1\r\nhost: x\r\n\r\n', 405],
  ['a header without colon', 'GET / HTTP/1.1\r\nno colon\r\n\r\n', 400],
])('refuses %s as S3 does', async (_name, request, status) => {
  const codes = {
    400: 'InvalidRequest',
    405: 'MethodNotAllowed',
    431: 'RequestHeaderSectionTooLarge',
  }
  const answer = await firstAnswer(sendRaw(await aStore(), request))

  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*application/xml`, 's'))
  expect(answer).toContain(`<Code>${codes[status as keyof typeof codes]}</Code>`)
})

test('bytes after the end of a body are an invalid request, not an unknown method', async () => {
  const request = 'PUT /a HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\na{}'

  const received = await text(sendRaw(await aStore(), request))

  expect(received).toMatch(/<Code>InvalidRequest<\/Code>/)
})

test('a copy answers with the ETag of the copied content despite concurrent writes', async () => {
  const store = await aStore()
  const { etag } = await put(store, 'from', 'hello')
  const copies = Array.from({ length: 40 }, async () => {
    const [copied] = await Promise.all([
      call(store, { method: 'PUT', key: 'to', headers: { 'x-amz-copy-source': 'letters/from' } }),
      call(store, { method: 'PUT', key: 'to', body: 'another' }),
      call(store, { method: 'DELETE', key: 'to' }),
    ])
    return [copied.status, copied.text.includes(etag!.replaceAll('"', '&quot;'))]
  })

  expect(await Promise.all(copies)).toEqual(copies.map(() => [200, true]))
})

describe.runIf(process.platform === 'linux')('one connection', () => {
  test('with many unread answers has one file open', async () => {
    const store = await aStore()
    await put(store, 'k', 'x'.repeat(1_000_000))
    const { host, hostname, port, pathname, search } = new URL(presign(store, { key: 'k' }))
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    const openFiles = async () => {
      const handles = await readdir('/proc/self/fd')
      const paths = await Promise.all(
        handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')),
      )
      return paths.filter((path) => path.endsWith('letters/k._S3rver_object')).length
    }
    socket.pause()
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(200))
    await expect.poll(openFiles).toBe(1)

    // Answers to another client show that the server has had time to work on the others.
    for (let answers = 0; answers < 5; answers += 1) {
      expect((await get(store, 'k')).status).toBe(200)
      expect(await openFiles()).toBe(1)
    }
  })
})

test('the directory is locked until the last request has ended', async () => {
  const directory = await aDirectory()
  const store = await startObjectStore({ directory, bucket: 'letters' })
  beginUpload(store, 'content-length: 9', 'half')
  const incoming = join(directory, 'incoming')
  await expect.poll(async () => (await readdir(incoming)).length).toBe(1)

  await store.stop()

  expect(await readdir(incoming)).toEqual([])
})

test('exactly one of many concurrent writes with If-None-Match to an absent object succeeds', async () => {
  const store = await aStore()
  const bodies = ['a', 'b', 'c', 'd', 'e', 'f']

  const answers = await Promise.all(
    bodies.map(async (body) => ({
      body,
      ...(await put(store, 'pinned', body, { 'if-none-match': '*' })),
    })),
  )

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412])
  const winner = answers.find(({ status }) => status === 200)
  expect(await get(store, 'pinned')).toEqual({ status: 200, text: winner?.body })
})

test.each([
  {
    name: 'copies while the source is the one named',
    etag: '"5d41402abc4b2a76b9719d911017c592"',
    status: 200,
  },
  {
    name: 'does not copy a source that has changed',
    etag: '"00000000000000000000000000000000"',
    status: 412,
  },
])('$name', async ({ etag, status }) => {
  const store = await aStore()
  await put(store, 'uploads/1', 'hello')

  const copied = await put(store, 'pinned/1', '', {
    'x-amz-copy-source': `letters%2Fuploads%2F1`,
    'x-amz-copy-source-if-match': etag,
  })

  expect(copied.status).toBe(status)
  expect((await get(store, 'pinned/1')).text.includes('hello')).toBe(status === 200)
})

test('an aborted upload leaves the object unchanged, and no partial file', async () => {
  const directory = await aDirectory()
  const store = await aStore(directory)
  await put(store, 'uploads/1', 'whole')
  const socket = beginUpload(store, 'content-length: 1000000', 'half')
  const incoming = join(directory, 'incoming')
  await expect.poll(async () => (await readdir(incoming)).length).toBe(1)

  socket.destroy()
  await once(socket, 'close')

  await expect.poll(async () => (await readdir(incoming)).length).toBe(0)
  expect(await get(store, 'uploads/1')).toEqual({ status: 200, text: 'whole' })
})

describe('a link accepts no more than its limit', () => {
  const mebibyte = 1024 * 1024
  const linkBytesMax = 10 * mebibyte

  /** A body of 200 MiB that counts what was read of it. */
  function aLargeBody() {
    const chunk = new Uint8Array(mebibyte)
    const body = { bytes: 200 * mebibyte, sent: 0 }
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (body.sent === body.bytes) return controller.close()
        body.sent += chunk.length
        controller.enqueue(chunk)
      },
    })
    return { body, stream }
  }

  test.each([
    ['whose length is not known beforehand', {}],
    ['that tells its length', { 'content-length': String(200 * mebibyte) }],
  ])('200 MiB %s are refused, and nothing is stored', async (_name, headers) => {
    const directory = await aDirectory()
    const store = await aStore(directory, { linkBytesMax })
    const { stream } = aLargeBody()

    const answer = await fetch(presign(store, { method: 'PUT', key: 'uploads/1' }), {
      method: 'PUT',
      body: stream,
      duplex: 'half',
      headers,
    } as RequestInit)

    expect({ status: answer.status, text: await answer.text() }).toEqual({
      status: 400,
      text: expect.stringContaining('<Code>EntityTooLarge</Code>'),
    })
    expect((await get(store, 'uploads/1')).status).toBe(404)
    expect(await readdir(join(directory, 'incoming'))).toEqual([])
  })

  test('the file is deleted at the first byte above the limit, while the client still sends', async () => {
    const directory = await aDirectory()
    const store = await aStore(directory, { linkBytesMax: 1_000 })
    const socket = beginUpload(store, 'transfer-encoding: chunked')
    const answer = firstAnswer(socket)
    const send = (bytes: number) =>
      socket.write(`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`)
    send(1_000)
    const incoming = join(directory, 'incoming')
    const sizes = async () =>
      Promise.all(
        (await readdir(incoming)).map(async (name) => (await stat(join(incoming, name))).size),
      )
    await expect.poll(sizes).toEqual([1_000])

    send(1)
    await expect.poll(sizes).toEqual([])
    socket.write('0\r\n\r\n')

    expect(await answer).toContain('EntityTooLarge')
  })

  test('an object of exactly the limit is accepted', async () => {
    const store = await aStore(undefined, { linkBytesMax: 1_000 })

    expect(await put(store, 'uploads/1', 'x'.repeat(1_000))).toMatchObject({ status: 200 })
    expect((await get(store, 'uploads/1')).text.length).toBe(1_000)
  })
})

test('an object survives the concurrent deletion of its neighbours', async () => {
  const store = await aStore()
  const keys = Array.from({ length: 20 }, (_, index) => `job/${index}`)

  await Promise.all(
    keys.map(async (key) => {
      await put(store, `${key}/old`, 'old')
      await Promise.all([
        fetch(presign(store, { method: 'DELETE', key: `${key}/old` }), { method: 'DELETE' }),
        put(store, `${key}/kept`, 'kept'),
      ])
    }),
  )

  const kept = await Promise.all(keys.map((key) => get(store, `${key}/kept`)))
  expect(kept).toEqual(keys.map(() => ({ status: 200, text: 'kept' })))
})

describe.runIf(process.platform === 'linux')('on a full disk', () => {
  test('an object that does not fit is refused without remains', async () => {
    const directory = await aDirectory()
    const store = await aStore(directory)
    await put(store, 'letter', 'first')

    await withoutRoom(4096, async () => {
      expect((await put(store, 'letter', 'x'.repeat(10_000))).status).toBe(500)
      expect((await put(store, 'another', 'x'.repeat(10_000))).status).toBe(500)
    })

    expect(await get(store, 'letter')).toEqual({ status: 200, text: 'first' })
    expect((await get(store, 'another')).status).toBe(404)
    expect(await readdir(join(directory, 'incoming'))).toEqual([])
    expect((await put(store, 'another', 'x'.repeat(10_000))).status).toBe(200)
  })

  test('an object whose metadata does not fit leaves the previous object unchanged', async () => {
    const store = await aStore()
    await put(store, 'letter', 'first')

    await withoutRoom(0, async () => {
      expect((await put(store, 'letter', '')).status).toBe(500)
    })

    expect(await get(store, 'letter')).toEqual({ status: 200, text: 'first' })
  })
})

/** Runs the work while no file of this process may grow beyond a size. A write then fails as on a full disk. */
async function withoutRoom(bytesMax: number, work: () => Promise<void>) {
  const limit = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:unlimited`])
  const ignore = () => {}
  // The error comes with a signal, which would end the process without a listener.
  process.on('SIGXFSZ', ignore)
  limit(bytesMax)
  try {
    await work()
  } finally {
    limit('unlimited')
    process.off('SIGXFSZ', ignore)
  }
}
