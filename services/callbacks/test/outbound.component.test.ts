import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { parseRange } from '@despatch/domain/callback/may-call'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { NotResolved } from '../src/outbound/resolve.ts'
import { selfSigned, startReceivers } from './receivers.ts'

const receivers = startReceivers()
const { outboundTo, serve, serveTcp, serveTls } = receivers
const originOf = (port: number, host = '127.0.0.1') => `http://${host}:${port}`

afterEach(() => receivers.close())

function answersWith(status: number, headers: Record<string, string> = {}): RequestListener {
  return (request, response) => {
    request.resume()
    response.writeHead(status, headers).end()
  }
}

const address = '127.0.0.1'
const answered = (httpStatus: number) => ({ kind: 'answered', httpStatus })

test('posts the body, headers and query unchanged', async () => {
  const seen: unknown[] = []
  const port = await serve(async (request, response) => {
    const { method, url, rawHeaders } = request
    seen.push({ method, url, rawHeaders, body: await buffer(request) })
    response.writeHead(204).end()
  })

  const answer = await outboundTo()(originOf(port), {
    path: "/status?token='%41|{}",
    headers: ['authorization', 'Whatever the consumer gave: é', 'accept-encoding', 'identity'],
    body: Buffer.from([0x7b, 0xc3, 0xa9, 0x7d]),
  })

  expect(answer).toEqual({ result: answered(204), outcome: 'delivered', address })
  expect(seen).toEqual([
    {
      method: 'POST',
      url: "/status?token='%41|{}",
      rawHeaders: [
        ...['host', `127.0.0.1:${port}`],
        ...['connection', 'keep-alive'],
        ...['authorization', 'Whatever the consumer gave: é'],
        ...['accept-encoding', 'identity'],
        ...['content-length', '4'],
      ],
      body: Buffer.from([0x7b, 0xc3, 0xa9, 0x7d]),
    },
  ])
})

test('keeps the beginning of the response', async () => {
  const port = await serve((_request, response) => {
    response.writeHead(400).end('x'.repeat(5_000))
  })

  const { body } = await outboundTo()(originOf(port))

  expect(Buffer.from(body!).toString()).toBe('x'.repeat(4_096))
})

test('reuses a connection, and returns the address of each call', async () => {
  const ports: (number | undefined)[] = []
  const listener: RequestListener = (request, response) => {
    ports.push(request.socket.remotePort)
    answersWith(200)(request, response)
  }
  const port = await serve(listener, '127.0.0.1')
  await serve(listener, '127.0.0.2', port)
  const addresses = ['127.0.0.1', '127.0.0.2']
  const post = outboundTo({ resolve: async () => [{ address: addresses.shift()!, family: 4 }] })

  const both = await Promise.all([
    post(originOf(port, 'two.example')),
    post(originOf(port, 'two.example')),
  ])
  // A connection is free again in the turn after its response has ended.
  await nextTurn()
  const again = await post(originOf(port, 'two.example'))

  expect(both.map((answer) => answer.address)).toEqual(['127.0.0.1', '127.0.0.2'])
  expect(['127.0.0.1', '127.0.0.2']).toContain(again.address)
  expect(new Set(ports).size).toBe(2)
})

test('ignores the proxy variables of the environment', async () => {
  let proxied = 0
  const proxy = await serve((_request, response) => {
    proxied += 1
    response.end()
  })
  const port = await serve(answersWith(200))
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, originOf(proxy))
  }
  onTestFinished(() => void vi.unstubAllEnvs())

  const { outcome } = await outboundTo()(originOf(port))

  expect([outcome, proxied]).toEqual(['delivered', 0])
})

test('a closed port is unreached', async () => {
  const port = await serveTcp(() => {})
  await receivers.close()

  expect(await outboundTo()(originOf(port))).toEqual({
    result: { kind: 'unreached' },
    outcome: 'connection_refused',
    failure: 'ECONNREFUSED',
  })
})

test('delivers over TLS to a receiver whose certificate is trusted for its name', async () => {
  const port = await serveTls((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'))
  })
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, selfSigned])
  const post = outboundTo({ resolve: async () => [{ address, family: 4 }] })

  const named = await post(`https://receiver.example:${port}`)
  const misnamed = await post(`https://other.example:${port}`).finally(() =>
    setDefaultCACertificates(before),
  )

  expect(named).toEqual({ result: answered(204), outcome: 'delivered', address })
  expect(misnamed).toEqual({
    result: { kind: 'unreached' },
    outcome: 'tls_error',
    failure: 'ERR_TLS_CERT_ALTNAME_INVALID',
    address,
  })
})

test('refuses an untrusted certificate regardless of the environment', async () => {
  const port = await serveTls(() => {})
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

  const { outcome } = await outboundTo()(originOf(port).replace('http:', 'https:')).finally(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  })

  expect(outcome).toBe('tls_error')
})

test('a call to a name that does not exist is unreached', async () => {
  const post = outboundTo({ resolve: () => Promise.reject(new NotResolved('ENOTFOUND')) })

  expect(await post('http://nowhere.example')).toEqual({
    result: { kind: 'unreached' },
    outcome: 'dns_error',
    failure: 'ENOTFOUND',
  })
})

test('an endless lookup ends at the deadline', async () => {
  const post = outboundTo({ deadlineMs: 200, resolve: () => new Promise(() => {}) })

  expect(await post('http://nowhere.example')).toEqual({
    result: { kind: 'unreached' },
    outcome: 'timeout',
    failure: 'deadline-unsent',
  })
})

test('a call whose deadline passes before it is connected is not made', async () => {
  let called = 0
  const port = await serve((request, response) => {
    called += 1
    answersWith(200)(request, response)
  })
  const found = Promise.withResolvers<void>()
  let connected = 0
  const post = outboundTo({
    // the second call must not reach it on a busy machine
    deadlineMs: 3_000,
    resolve: async () => {
      if (connected++ === 0) await found.promise
      return [{ address, family: 4 }]
    },
  })

  const late = await post(originOf(port, 'slow.example'))
  found.resolve()
  const next = await post(originOf(port, 'slow.example'))

  expect(late.result).toEqual({ kind: 'unreached' })
  expect(next.outcome).toBe('delivered')
  expect(called).toBe(1)
})

test('credentials that are not a valid header are unsendable, and occupy no connection', async () => {
  const port = await serve(answersWith(200))
  const post = outboundTo({ callsPerOriginMax: 2 })
  const headers = ['authorization', 'a\r\nb: c']

  for (let i = 0; i < 5; i++) {
    expect(await post(originOf(port), { headers })).toEqual({
      result: { kind: 'unsendable' },
      outcome: 'unsendable',
      failure: 'header',
    })
  }

  expect((await post(originOf(port))).outcome).toBe('delivered')
})

test('calls only the port of an allowed range with a port', async () => {
  const [port, other] = [await serve(answersWith(200)), await serve(answersWith(200))]
  const post = outboundTo({
    allowed: [parseRange(`127.0.0.0/8:${port}`)!],
    resolve: async () => [{ address, family: 4 }],
  })

  expect((await post(originOf(port))).outcome).toBe('delivered')
  expect((await post(originOf(port, 'receiver.example'))).outcome).toBe('delivered')
  expect((await post(originOf(other))).outcome).toBe('blocked_address')
  expect((await post(originOf(other, 'receiver.example'))).outcome).toBe('blocked_address')
})

test('closes once the calls in progress have ended', async () => {
  const port = await serve(async (request, response) => {
    await once(request.resume(), 'end')
    setTimeout(() => response.end(), 50)
  })
  const post = outboundTo()
  const answer = post(originOf(port))

  await receivers.close()

  expect((await answer).outcome).toBe('delivered')
})
