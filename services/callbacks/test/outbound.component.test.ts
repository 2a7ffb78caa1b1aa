import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import ipaddr from 'ipaddr.js'
import { afterEach, expect, test } from 'vitest'
import { type OutboundCall, type OutboundOptions, openOutbound } from '../src/outbound.ts'

const loopback = [ipaddr.parseCIDR('127.0.0.0/8')]
const closers: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function outboundTo(given: Partial<OutboundOptions> = {}) {
  const outbound = openOutbound({
    allowed: loopback,
    callsPerOriginMax: 8,
    deadlineMs: 5_000,
    ...given,
  })
  closers.unshift(() => outbound.close())
  return (origin: string, call: Partial<OutboundCall> = {}) =>
    outbound.post({ origin, path: '/', headers: {}, body: Buffer.from('{}'), ...call })
}

/** Serves on a free port of 127.0.0.1. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function serveTcp(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const answersWith = (status: number, headers: Record<string, string> = {}): RequestListener => {
  return (request, response) => {
    request.resume()
    response.writeHead(status, headers).end()
  }
}

test('posts the bytes, the headers and the query as they are', async () => {
  const seen: unknown[] = []
  const origin = await serve(async (request, response) => {
    const { method, url, headers } = request
    seen.push({ method, url, authorization: headers.authorization, body: await buffer(request) })
    response.writeHead(204).end()
  })
  const post = outboundTo()

  const answer = await post(origin, {
    path: "/status?token='%41|{}",
    headers: { authorization: 'Whatever the consumer gave: é' },
    body: Buffer.from([0x7b, 0xc3, 0xa9, 0x7d]),
  })

  expect(answer).toEqual({ result: { kind: 'answered', httpStatus: 204 } })
  expect(seen).toEqual([
    {
      method: 'POST',
      url: "/status?token='%41|{}",
      authorization: 'Whatever the consumer gave: é',
      body: Buffer.from([0x7b, 0xc3, 0xa9, 0x7d]),
    },
  ])
})

test('does not follow a redirect', async () => {
  let reached = 0
  const elsewhere = await serve((_request, response) => {
    reached += 1
    response.end()
  })
  const origin = await serve(answersWith(307, { location: elsewhere }))

  const answer = await outboundTo()(origin)

  expect(answer).toEqual({ result: { kind: 'answered', httpStatus: 307 } })
  expect(reached).toBe(0)
})

test('reads Retry-After', async () => {
  const origin = await serve(answersWith(503, { 'retry-after': '120' }))

  expect(await outboundTo()(origin)).toEqual({
    result: { kind: 'answered', httpStatus: 503, retryAfterSeconds: 120 },
  })
})

test('an endless answer costs neither the status nor more than a bounded read', async () => {
  let written = 0
  const origin = await serve((_request, response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(16_384)
    const write = () => {
      while (!response.destroyed && written < 1e9 && response.write(chunk)) written += chunk.length
    }
    response.on('drain', write)
    write()
  })

  expect(await outboundTo()(origin)).toEqual({ result: { kind: 'answered', httpStatus: 200 } })
  expect(written).toBeLessThan(50e6)
})

test('a dripping answer ends at the deadline, with its status', async () => {
  const origin = await serve((_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  })

  const startedAt = performance.now()
  const answer = await outboundTo({ deadlineMs: 300 })(origin)

  expect(answer).toEqual({ result: { kind: 'answered', httpStatus: 200 } })
  expect(performance.now() - startedAt).toBeLessThan(3_000)
})

test('no answer within the deadline is unknown: the request may have arrived', async () => {
  const origin = await serve((request) => {
    request.resume()
  })

  expect(await outboundTo({ deadlineMs: 200 })(origin)).toEqual({
    result: { kind: 'unknown' },
    failure: expect.stringMatching(/^(TimeoutError|UND_ERR_HEADERS_TIMEOUT)$/),
  })
})

test('a connection that ends without an answer is unknown', async () => {
  const origin = await serve((request) => {
    request.socket.destroy()
  })

  expect((await outboundTo()(origin)).result).toEqual({ kind: 'unknown' })
})

test('an answer that is no HTTP is unknown', async () => {
  const port = await serveTcp((socket) => void socket.end('SSH-2.0-OpenSSH\r\n'))

  expect((await outboundTo()(`http://127.0.0.1:${port}`)).result).toEqual({ kind: 'unknown' })
})

test('endless headers are cut off', async () => {
  const port = await serveTcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const line = `x: ${'y'.repeat(1_000)}\r\n`
    const timer = setInterval(() => socket.write(line.repeat(8)), 5)
    socket.on('close', () => clearInterval(timer))
  })

  expect(await outboundTo()(`http://127.0.0.1:${port}`)).toEqual({
    result: { kind: 'unknown' },
    failure: 'UND_ERR_HEADERS_OVERFLOW',
  })
})

test('a port that nobody listens on is unreached', async () => {
  const port = await serveTcp(() => {})
  await closers.pop()!()

  expect(await outboundTo()(`http://127.0.0.1:${port}`)).toEqual({
    result: { kind: 'unreached' },
    failure: 'ECONNREFUSED',
  })
})

test('a server that speaks no TLS is unreached over https', async () => {
  const origin = await serve(answersWith(200))

  expect((await outboundTo()(origin.replace('http:', 'https:'))).result).toEqual({
    kind: 'unreached',
  })
})

test('connects to no forbidden address, be it given or looked up', async () => {
  let connections = 0
  const port = await serveTcp((socket) => {
    connections += 1
    socket.destroy()
  })
  const post = outboundTo({
    allowed: [],
    lookup: (_hostname, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  const forbidden = { result: { kind: 'unreached' }, failure: 'ForbiddenAddress' }

  expect(await post(`http://127.0.0.1:${port}`)).toEqual(forbidden)
  expect(await post(`http://[::1]:${port}`)).toEqual(forbidden)
  expect(await post(`http://rebound.example:${port}`)).toEqual(forbidden)
  expect(connections).toBe(0)
})

test('of the addresses of a name it uses those that may be called', async () => {
  const origin = await serve(answersWith(200))
  const post = outboundTo({
    lookup: (_hostname, _options, done) =>
      done(null, [
        { address: '10.255.255.1', family: 4 },
        { address: '169.254.169.254', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]),
  })

  expect((await post(origin.replace('127.0.0.1', 'mixed.example'))).result).toEqual({
    kind: 'answered',
    httpStatus: 200,
  })
})

const lookups: [code: string, kind: string][] = [
  ['ENOTFOUND', 'unreached'],
  ['EAI_AGAIN', 'fault'],
]

test.for(lookups)('a look-up that ends in %s is %s', async ([code, kind]) => {
  const post = outboundTo({
    lookup: (_hostname, _options, done) => done(Object.assign(new Error(code), { code }), []),
  })

  expect(await post('http://nowhere.example')).toEqual({ result: { kind }, failure: code })
})

test('a header that cannot be one is unsendable', async () => {
  const origin = await serve(answersWith(200))

  expect(await outboundTo()(origin, { headers: { authorization: 'a\r\nb: c' } })).toEqual({
    result: { kind: 'unsendable' },
    failure: 'header',
  })
})
