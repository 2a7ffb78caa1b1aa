import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import { eventually } from '@despatch/testing/eventually'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { aSmallApi } from '../test/a-small-api.ts'
import { createBodyPace } from './pace-bodies.ts'

const mebibyte = 1024 * 1024
const key = { 'x-api-key': 'right' }

type Sending = { agent?: Agent; path?: string; method?: string }

async function aListeningApi({ authenticateMs = 0 } = {}) {
  const { api } = await aSmallApi({
    bodyBytesMax: 4 * mebibyte,
    authenticate: async (headers) => {
      if (authenticateMs > 0) await pause(authenticateMs)
      if (headers['x-api-key'] === key['x-api-key']) return { consumerId: 'c1' } as Caller
      throw new Problem('not-authenticated', 'Say who you are')
    },
  })
  api.route({
    method: 'POST',
    url: '/things/v1/things',
    schema: { body: z.unknown() },
    handler: async () => ({ ok: true }),
  })
  api.addContentTypeParser('application/x-ndjson', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body.length),
  )
  api.route({
    method: 'POST',
    url: '/elsewhere',
    config: { open: true },
    handler: async ({ body }) => ({ body }),
  })
  const { port } = new URL(await api.listen({ host: '127.0.0.1', port: 0 }))
  const post = (
    headers: Record<string, string | number>,
    { agent, path = '/things/v1/things', method = 'POST' }: Sending = {},
  ) =>
    request({
      ...(agent && { agent }),
      port,
      host: '127.0.0.1',
      method,
      path,
      headers: { 'content-type': 'application/json', ...key, ...headers },
    })
  return { api, post }
}

async function send(posted: ClientRequest, body: Uint8Array) {
  const answered = once(posted, 'response') as Promise<[IncomingMessage]>
  posted.end(body)
  const [answer] = await answered
  return { status: answer.statusCode, body: JSON.parse(await text(answer)) }
}

const tooLarge = {
  status: 413,
  body: {
    kind: 'body-too-large',
    detail: expect.stringMatching(/too large: at most \d+ bytes are accepted$/),
  },
}

test('a client that sends too much reads the refusal, and its connection stays usable', async () => {
  const { post } = await aListeningApi()
  const body = Buffer.alloc(6 * mebibyte, ' ')

  for (let round = 0; round < 2; round++) {
    expect(await send(post({ 'content-length': body.length }), body)).toEqual(tooLarge)
    expect(await send(post({ 'transfer-encoding': 'chunked' }), body)).toEqual(tooLarge)
  }
  expect(await send(post({}), Buffer.from('{}'))).toEqual({ status: 200, body: { ok: true } })
})

test('a body with a too large declared length is refused before it arrives, and its connection stays usable', async () => {
  const { api, post } = await aListeningApi()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const sockets = new Set<Socket>()
  api.server.on('request', ({ socket }: IncomingMessage) => sockets.add(socket))
  const posted = post({ 'content-length': 6 * mebibyte }, { agent })
  const answered = once(posted, 'response') as Promise<[IncomingMessage]>

  posted.write(' ')
  const [answer] = await answered
  const body = JSON.parse(await text(answer))
  posted.end(Buffer.alloc(6 * mebibyte - 1, ' '))

  expect({ status: answer.statusCode, body }).toEqual(tooLarge)
  expect(await send(post({}, { agent }), Buffer.from('{}'))).toMatchObject({ status: 200 })
  expect(sockets.size).toBe(1)
})

/** Sends the head of a request of 1 GiB, and waits until it is refused. */
async function aRefusedSender(api: Awaited<ReturnType<typeof aListeningApi>>['api']) {
  const begun = once(api.server, 'request') as Promise<[IncomingMessage]>
  const sender = connect(Number(new URL(api.listeningOrigin).port), '127.0.0.1')
  sender.on('error', () => {})
  onTestFinished(() => void sender.destroy())
  sender.write(
    `POST /things/v1/things HTTP/1.1\r\nhost: things\r\nx-api-key: ${key['x-api-key']}\r\n` +
      `content-type: application/json\r\ncontent-length: ${1_024 * mebibyte}\r\n\r\n`,
  )
  const [answer] = (await once(sender, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /)
  return { sender, received: (await begun)[0].socket }
}

test('the server reads at most 32 MiB of a refused body without an end', async () => {
  const { api } = await aListeningApi()
  api.bodyPace.delayMs = () => 0
  const { sender, received } = await aRefusedSender(api)
  const closed = once(received, 'close')
  const part = Buffer.alloc(mebibyte, ' ')
  const sendMore = () => {
    while (sender.writable && sender.write(part));
  }

  sender.on('drain', sendMore)
  sendMore()
  await closed

  expect(received.bytesRead).toBeGreaterThan(32 * mebibyte)
  expect(received.bytesRead).toBeLessThan(34 * mebibyte)
})

test('the server waits ten seconds for the rest of a refused body', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { api } = await aListeningApi()
  const { received } = await aRefusedSender(api)
  const closed = once(received, 'close')

  await vi.advanceTimersByTimeAsync(9_999)
  expect(received.destroyed).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await closed
})

test('a client that is refused for another reason can read the refusal, even with a large body', async () => {
  const { post } = await aListeningApi()
  const body = Buffer.alloc(6 * mebibyte, ' ')

  for (let round = 0; round < 5; round++) {
    const refused = await send(post({ 'x-api-key': 'wrong', 'content-length': body.length }), body)
    expect(refused.status).toBe(401)
  }
})

test.each([
  ['deeply nested', '['.repeat(4 * mebibyte), /nested at most 32 deep/],
  ['of very many values', `[${'0,'.repeat(2 * mebibyte - 2)}0]`, /at most 50000 values/],
])('a body that is %s is refused before it is parsed', async (_name, body, detail) => {
  const { post } = await aListeningApi()

  expect(await send(post({}), Buffer.from(body))).toEqual({
    status: 400,
    body: { kind: 'unreadable-body', detail: expect.stringMatching(detail) },
  })
})

test('the connection stays usable after a large unread body', async () => {
  const { post } = await aListeningApi()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const headers = { 'content-type': 'application/json-seq', 'transfer-encoding': 'chunked' }

  const refused = await send(post(headers, { agent }), Buffer.alloc(mebibyte, ' '))
  const served = await send(post({}, { agent }), Buffer.from('{}'))

  expect([refused.status, served.status]).toEqual([415, 200])
})

test('a client that leaves in the middle of a large body does not affect others', async () => {
  const { api, post } = await aListeningApi()
  for (const body of ['['.repeat(mebibyte), ' '.repeat(5 * mebibyte), `"${'x'.repeat(mebibyte)}`]) {
    const arrived = once(api.server, 'request')
    const leaving = post({ 'transfer-encoding': 'chunked' })
    leaving.on('error', () => {})
    leaving.write(body)
    const [request] = (await arrived) as [IncomingMessage]
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    request.once('close', resolve)
    leaving.destroy()
    await closed
  }

  expect(await send(post({}), Buffer.from('{}'))).toEqual({ status: 200, body: { ok: true } })
})

type Row = [
  name: string,
  headers: Record<string, string>,
  body: string,
  caller: string,
  sending?: Sending,
]
test.each<Row>([
  ['that is accepted', {}, `"${'x'.repeat(mebibyte)}"`, 'c1'],
  ['that is refused for its values', {}, '['.repeat(mebibyte), 'c1'],
  ['that is too large', {}, ' '.repeat(5 * mebibyte), 'c1'],
  ['of another type', { 'content-type': 'text/plain' }, ' '.repeat(mebibyte), 'c1'],
  ['of an unknown caller', { 'x-api-key': 'wrong' }, ' '.repeat(mebibyte), '127.0.0.1'],
  ['of rows', { 'content-type': 'application/x-ndjson' }, '\n'.repeat(mebibyte), 'c1'],
  [
    'of rows that turns out to be too large',
    { 'content-type': 'application/x-ndjson', 'transfer-encoding': 'chunked' },
    '\n'.repeat(8 * mebibyte),
    'c1',
  ],
  ['outside of the prefix', {}, `"${'x'.repeat(mebibyte)}"`, '127.0.0.1', { path: '/elsewhere' }],
  ['in capitals', { 'content-type': 'Application/JSON' }, `"${'x'.repeat(mebibyte)}"`, 'c1'],
  ['to an unknown address', {}, ' '.repeat(mebibyte), '127.0.0.1', { path: '/nowhere' }],
  ['with a wrong method', {}, ' '.repeat(mebibyte), '127.0.0.1', { method: 'PUT' }],
])(
  'counts every byte of a large body %s for its caller',
  async (_name, headers, body, caller, sending = {}) => {
    const { api, post } = await aListeningApi()
    const counted: Record<string, number> = {}
    api.bodyPace.delayMs = (who, bytes) => {
      counted[who] = (counted[who] ?? 0) + bytes
      return 0
    }

    const length = 'transfer-encoding' in headers ? {} : { 'content-length': body.length }
    await send(post({ ...length, ...headers }, sending), Buffer.from(body))

    await eventually(() => counted[caller]! >= body.length, {
      message: 'the whole body is counted',
    })
    expect(counted).toEqual({ [caller]: body.length })
  },
)

test('after a GET with a large body, the connection stays in order', async () => {
  const { post } = await aListeningApi()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const body = Buffer.alloc(mebibyte, ' ')
  const got = post(
    { 'content-length': body.length },
    { agent, method: 'GET', path: '/things/v1/openapi.json' },
  )

  expect((await send(got, body)).status).toBe(200)
  expect((await send(post({}, { agent }), Buffer.from('{}'))).status).toBe(200)
})

test.each([
  ['that is accepted', 'right', 0],
  ['of an unknown caller', 'wrong', 0],
  ['of an unknown caller, of which much has arrived', 'wrong', 100],
])(
  'reads a large body %s no faster than the pace of its caller',
  async (_name, apiKey, authenticateMs) => {
    const { api, post } = await aListeningApi({ authenticateMs })
    let parts = 0
    api.bodyPace.delayMs = () => {
      parts += 1
      return 3_600_000
    }
    const begun = once(api.server, 'request') as Promise<[IncomingMessage]>
    const slow = connect(Number(new URL(api.listeningOrigin).port), '127.0.0.1')
    slow.on('error', () => {})
    slow.write(
      `POST /things/v1/things HTTP/1.1\r\nhost: things\r\nx-api-key: ${apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${3 * mebibyte}\r\n\r\n${' '.repeat(3 * mebibyte)}`,
    )
    const [raw] = await begun
    await eventually(() => parts > 0, { message: 'the first part of the body is read' })

    expect(await send(post({}), Buffer.from('{}'))).toEqual({ status: 200, body: { ok: true } })
    expect([parts, raw.complete]).toEqual([1, false])
    // nobody reads from it, so the server would not notice that the client has left
    raw.socket.destroy()
  },
)

test.each([
  ['of rows', 'application/x-ndjson', '\n'.repeat(mebibyte), mebibyte],
  ['of JSON', 'application/json', `"${'x'.repeat(mebibyte)}"`, 'x'.repeat(mebibyte)],
])('a large body %s outside the prefix reaches its handler', async (_name, type, text, body) => {
  const { post } = await aListeningApi()

  const answer = await send(
    post({ 'content-type': type }, { path: '/elsewhere' }),
    Buffer.from(text),
  )

  expect(answer).toEqual({ status: 200, body: { body } })
})

test('the pace of a caller is 16 MiB a second after the first 32 MiB', () => {
  let now = 1_000_000
  const pace = createBodyPace(() => now)

  expect(pace.delayMs('one', 32 * mebibyte)).toBe(0)
  expect(pace.delayMs('one', 8 * mebibyte)).toBe(500)
  expect(pace.delayMs('two', mebibyte)).toBe(0)
  now += 1_500
  expect(pace.delayMs('one', 16 * mebibyte)).toBe(0)
  expect(pace.delayMs('one', 16 * mebibyte)).toBe(1_000)
})

test('a body with a long text or many values within the limits is read', async () => {
  const { post } = await aListeningApi()
  const body = { file: 'x'.repeat(3 * mebibyte), numbers: Array(49_997).fill(0) }

  expect(await send(post({}), Buffer.from(JSON.stringify(body)))).toEqual({
    status: 200,
    body: { ok: true },
  })
})

test('an empty chunked body counts as no body', async () => {
  const { post } = await aListeningApi()

  expect(await send(post({ 'transfer-encoding': 'chunked' }), Buffer.alloc(0))).toEqual({
    status: 200,
    body: { ok: true },
  })
})

test('a repeated member in a large body is named', async () => {
  const { post } = await aListeningApi()
  const body = Buffer.from(
    `{"file":"${'x'.repeat(mebibyte)}","parts":[{"a":1},{"b":1,"a":1,"b":2}]}`,
  )

  expect(await send(post({}), body)).toEqual({
    status: 400,
    body: expect.objectContaining({ detail: 'parts[1].b must occur only once in its object' }),
  })
})
