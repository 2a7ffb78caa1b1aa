import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createGzip } from 'node:zlib'
import { planNextAttempt } from '@despatch/domain/callback/retry'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { answerBytesKept } from '../src/outbound/outbound-attempt.ts'
import { startReceivers } from './receivers.ts'

/** A receiver that misbehaves as the path of the call says. */
type Misbehaviour = (socket: Socket) => void

const chunk = 'x'.repeat(16_384)
const responding =
  (...parts: string[]): Misbehaviour =>
  (socket) =>
    void socket.end(parts.join('\r\n'))
const status = (line: string, ...headers: string[]) =>
  responding(`HTTP/1.1 ${line}`, ...headers, 'content-length: 0', '', '')
const then = (text: string, after: (socket: Socket) => void): Misbehaviour => {
  return (socket) => void socket.write(text, () => after(socket))
}

/** Writes as long as the other side reads. */
async function flood(socket: Socket, text: string): Promise<void> {
  while (!socket.destroyed) {
    // Rejects when the other side closes the connection.
    if (!socket.write(text)) await once(socket, 'drain').catch(() => socket.destroy())
  }
}

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20)
  socket.on('close', () => clearInterval(timer))
}

/** A gigabyte that gzip compresses to a megabyte. */
function bomb(socket: Socket): void {
  const zip = createGzip()
  zip.pipe(socket)
  const zeros = Buffer.alloc(1_048_576)
  let left = 1_024
  const more = () => {
    while (left-- > 0 && !socket.destroyed) if (!zip.write(zeros)) return
    zip.end()
  }
  zip.on('drain', more)
  socket.on('close', () => zip.destroy())
  more()
}

const ok = 'HTTP/1.1 200 OK\r\n'
const misbehaviours: Record<string, Misbehaviour> = {
  '/500': status('500 No'),
  '/404': status('404 No'),
  '/410': status('410 Gone'),
  '/redirect': status('302 Found', 'location: http://169.254.169.254/latest/meta-data/'),
  '/retry-after-huge': status('503 Later', 'retry-after: 99999999'),
  '/retry-after-twice': status('503 Later', 'retry-after: 20', 'retry-after: 30'),
  '/never': () => {},
  '/slow-headers': (socket) => drip(socket, 'H'),
  '/slow-header': then(`${ok}x: `, (socket) => drip(socket, 'y')),
  '/slow-body': then(`${ok}\r\n`, (socket) => drip(socket, '.')),
  '/slow-error': then('HTTP/1.1 500 No\r\n\r\n', (socket) => drip(socket, '.')),
  '/endless-headers': then(ok, (socket) => void flood(socket, `x: ${'y'.repeat(1_000)}\r\n`)),
  '/endless-header': then(`${ok}x: `, (socket) => void flood(socket, chunk)),
  '/endless-body': then(`${ok}\r\n`, (socket) => void flood(socket, chunk)),
  '/endless-chunk-extension': then(
    `${ok}transfer-encoding: chunked\r\n\r\n1;`,
    (socket) => void flood(socket, chunk),
  ),
  '/endless-trailers': then(
    `${ok}transfer-encoding: chunked\r\n\r\n0\r\n`,
    (socket) => void flood(socket, `x: ${'y'.repeat(1_000)}\r\n`),
  ),
  '/gzip-bomb': then(`${ok}content-encoding: gzip\r\nconnection: close\r\n\r\n`, bomb),
  '/informational': responding('HTTP/1.1 103 Early Hints', '', 'HTTP/1.1 204 OK', '', ''),
  '/informational-flood': (socket) =>
    void flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)),
  '/continue': then('HTTP/1.1 100 Continue\r\n\r\n', (socket) => socket.end(`${ok}\r\n`)),
  '/continue-and-202': responding(
    ...['HTTP/1.1 100 Continue', '', 'HTTP/1.1 202 Accepted', 'Content-Length: 0', '', ''],
  ),
  '/continue-and-nothing': responding('HTTP/1.1 100 Continue', '', ''),
  '/continue-flood': (socket) => void flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)),
  '/switches': responding('HTTP/1.1 101 Switch', 'connection: upgrade', 'upgrade: x', '', ''),
  '/no-http': responding('SSH-2.0-OpenSSH', ''),
  '/two-lengths': responding('HTTP/1.1 200 OK', 'content-length: 1', 'content-length: 2', '', 'ab'),
  '/reset': (socket) => void socket.resetAndDestroy(),
  '/hang-up': (socket) => void socket.end(),
  '/reset-in-headers': then(`${ok}x: y`, (socket) =>
    setTimeout(() => socket.resetAndDestroy(), 20),
  ),
  '/reset-after-headers': then(`${ok}content-length: 100\r\n\r\n`, (socket) =>
    setTimeout(() => socket.resetAndDestroy(), 20),
  ),
  '/body-cut-off': responding('HTTP/1.1 200 OK', 'content-length: 100', '', 'ab'),
  '/chunk-cut-off': responding('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', 'ff', 'ab'),
  '/body-of-204': responding('HTTP/1.1 204 OK', 'content-length: 3', '', 'abc'),
}

const receivers = await shared(startReceivers())
let connections = 0
let open = 0

const port = await receivers.serveTcp((socket) => {
  connections += 1
  open += 1
  socket.once('close', () => {
    open -= 1
  })
  socket.once('data', (request) => {
    const [, path = ''] = request.toString().split(' ')
    misbehaviours[path]?.(socket)
  })
})
const origin = `http://127.0.0.1:${port}`
/** No call ends by this deadline: a test that waits for it fails. */
const post = receivers.outboundTo({ deadlineMs: 600_000 })
const hasty = receivers.outboundTo({ deadlineMs: 500 })

const first = new Date('2026-03-02T10:00:00Z')

/** Returns the next step after the first attempt of a one-minute window, if that attempt took a second. */
function plan(result: Parameters<typeof planNextAttempt>[0]['result']): string {
  const next = planNextAttempt({
    result,
    retryParams: { enabled: true, maxRetryWindow: 60 },
    attempts: 1,
    owedSince: first,
    firstAttemptAt: first,
    finishedAt: new Date(first.getTime() + 1_000),
    random: 0.5,
  })
  if (next.kind === 'abandon') return next.reason
  if (next.kind === 'delivered') return next.kind
  return `${next.kind} after ${(next.at.getTime() - first.getTime()) / 1000} s`
}

const soon = 'retry after 2 s'
const expected: [path: string, outcome: string, next: string, failure?: string][] = [
  ['/500', 'refused', soon],
  ['/404', 'refused', 'refused'],
  ['/410', 'gone', 'gone'],
  ['/redirect', 'redirect', soon],
  ['/retry-after-huge', 'refused', 'retry after 60 s'],
  ['/retry-after-twice', 'refused', 'retry after 21 s'],
  ['/never', 'timeout', soon, 'deadline'],
  ['/slow-headers', 'unknown', soon, 'HTTPParserError'],
  ['/slow-header', 'timeout', soon, 'deadline'],
  ['/slow-body', 'delivered', 'delivered'],
  ['/slow-error', 'refused', soon],
  ['/endless-headers', 'unknown', soon, 'UND_ERR_HEADERS_OVERFLOW'],
  ['/endless-header', 'unknown', soon, 'UND_ERR_HEADERS_OVERFLOW'],
  ['/endless-body', 'delivered', 'delivered'],
  ['/endless-chunk-extension', 'delivered', 'delivered'],
  ['/endless-trailers', 'delivered', 'delivered'],
  ['/gzip-bomb', 'delivered', 'delivered'],
  ['/informational', 'delivered', 'delivered'],
  ['/informational-flood', 'unknown', soon, 'informational'],
  ['/continue', 'delivered', 'delivered'],
  ['/continue-and-202', 'delivered', 'delivered'],
  ['/continue-and-nothing', 'unknown', soon, 'UND_ERR_SOCKET'],
  ['/continue-flood', 'unknown', soon, 'length'],
  ['/switches', 'unknown', soon, 'UND_ERR_SOCKET'],
  ['/no-http', 'unknown', soon, 'HTTPParserError'],
  ['/two-lengths', 'unknown', soon, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
  ['/reset', 'unknown', soon, 'ECONNRESET'],
  ['/hang-up', 'unknown', soon, 'UND_ERR_SOCKET'],
  ['/reset-in-headers', 'unknown', soon, 'ECONNRESET'],
  ['/reset-after-headers', 'delivered', 'delivered'],
  ['/body-cut-off', 'delivered', 'delivered'],
  ['/chunk-cut-off', 'delivered', 'delivered'],
  ['/body-of-204', 'delivered', 'delivered'],
]

test('every misbehaviour has an expected outcome', () => {
  expect(expected.map(([path]) => path).toSorted()).toEqual(Object.keys(misbehaviours).toSorted())
})

/** These calls end only at their deadline, which is long enough for a busy machine to read the beginning of the answer. */
const endless = ['/never', '/slow-header', '/slow-body', '/slow-error']
const slowly = receivers.outboundTo({ deadlineMs: 5_000 })
const ofEndless = new Map(endless.map((path) => [path, slowly(origin, { path })]))

test.for(expected)('%s is %s: %s', async ([path, outcome, next, failure]) => {
  const answer = await (ofEndless.get(path) ?? post(origin, { path }))

  expect({ ...answer, result: plan(answer.result), body: undefined }).toEqual({
    result: next,
    outcome,
    address: '127.0.0.1',
    ...(failure !== undefined && { failure }),
  })
  expect(answer.body?.length ?? 0).toBeLessThanOrEqual(answerBytesKept)
})

test('an extra response to one call is not read as the response to the next', async () => {
  const port = await receivers.serveTcp((socket) => {
    let answers = 0
    socket.on('data', () => {
      answers += 1
      const extra = answers === 1 ? `${ok}content-length: 5\r\n\r\nextra` : ''
      socket.write(`HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno${extra}`)
    })
  })

  const outcomes = []
  for (let call = 0; call < 5; call++) {
    outcomes.push((await post(`http://127.0.0.1:${port}`)).outcome)
  }

  expect(outcomes).toEqual(Array.from({ length: 5 }, () => 'refused'))
})

test('an untrusted certificate, and a port without TLS, are unreached', async () => {
  const port = await receivers.serveTls(() => {})
  const plain = origin.replace('http:', 'https:')

  expect(await post(`https://127.0.0.1:${port}`)).toEqual({
    result: { kind: 'unreached' },
    outcome: 'tls_error',
    failure: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    address: '127.0.0.1',
  })
  expect(await hasty(plain)).toMatchObject({ result: { kind: 'unreached' }, outcome: 'timeout' })
})

test('a plain call to a TLS port is interrupted, and may have arrived', async () => {
  const port = await receivers.serveTls(() => {})

  expect(await post(`http://127.0.0.1:${port}`)).toMatchObject({
    result: { kind: 'unknown' },
    outcome: 'unknown',
  })
})

test('an interrupted handshake is unreached', async () => {
  const cut = await receivers.serveTcp((socket) => void socket.once('data', () => socket.end()))
  const babble = await receivers.serveTcp(
    (socket) => void socket.once('data', () => socket.end('no')),
  )

  expect(await post(`https://127.0.0.1:${cut}`)).toMatchObject({ outcome: 'tls_error' })
  expect(await post(`https://127.0.0.1:${babble}`)).toMatchObject({ outcome: 'tls_error' })
})

test('a hundred hostile calls at once keep little of the responses, and leave no connections open', async () => {
  const many = receivers.outboundTo({ deadlineMs: 400, callsPerOriginMax: 100 })
  const paths = ['/endless-body', '/endless-headers', '/gzip-bomb', '/slow-body', '/never']
  const before = connections

  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, call) => many(origin, { path: paths[call % paths.length]! })),
  )

  expect(answers.every(({ result }) => result.kind !== 'fault')).toBe(true)
  expect(connections - before).toBeLessThanOrEqual(100)
  for (const { body } of answers) expect(body?.length ?? 0).toBeLessThanOrEqual(answerBytesKept)
  await eventually(() => open === 0, { message: 'all connections are closed' })
})
