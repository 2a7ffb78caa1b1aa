import dns from 'node:dns'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { createApi } from '../src/api.ts'

/** IDLE_CONNECTIONS=10000 opens more. The limit of open files must be twice as high. */
const idleCount = Number(process.env.IDLE_CONNECTIONS ?? 2_000)
const idleMax = Math.min(idleCount / 4, 4_000)
const connectionsMax = 300
const attackers = 400
/** The machine may be busy. Without the limits, these tests wait for more than ten seconds. */
const quicklyMs = 9_000

const statuses: Record<string, number> = { unavailable: 503, 'headers-too-large': 431 }

async function anApi({
  host = '127.0.0.1',
  max = connectionsMax,
  requestsMax = 1_000,
  handler = async (): Promise<object> => ({ ok: true }),
} = {}) {
  const api = await createApi({
    name: 'things',
    prefix: '/things',
    log: createLogger({ service: 'things', level: 'silent' }),
    metrics: createMetrics('things'),
    bodyBytesMax: 1_000,
    openapi: { title: 'Things', description: '', version: '1.0.0' },
    // another limit, which must not be what protects the others here
    sourceRequestsPerSecond: 100_000,
    admission: { requestsMax, bodyBytesMax: 1_000_000_000 },
    connections: { DESPATCH_CONNECTIONS_MAX: max },
    renderProblem: ({ kind }) => ({ status: statuses[kind] ?? 400, body: {} }),
    renderFault: () => ({ status: 500, body: {} }),
  })
  api.route({
    method: 'POST',
    url: '/things/v1/things',
    config: { open: true },
    schema: { body: z.unknown() },
    handler,
  })
  const { port } = new URL(await api.listen({ host, port: 0 }))
  onTestFinished(() => api.close())
  return { api, port: Number(port) }
}

/** Opens connections that send the given text and nothing more. */
async function openMany(port: number, count: number, text = ''): Promise<Socket[]> {
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const batch = 200
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(batch, count - sockets.length) }, () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.resume()
      if (text) socket.write(text)
      return socket
    })
    sockets.push(...some)
    await Promise.all(some.map((socket) => once(socket, 'connect')))
  }
  return sockets
}

/** Sends one request from another address, on a connection of its own, and returns its status. */
async function askFromElsewhere(port: number): Promise<number | undefined> {
  const asked = request({
    ...{ port, host: '127.0.0.1', localAddress: '127.0.0.2', agent: false, method: 'POST' },
    path: '/things/v1/things',
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(quicklyMs),
  })
  const answered = once(asked, 'response')
  asked.end('{}')
  const [answer] = await answered
  answer.resume()
  return answer.statusCode
}

const openConnections = (api: Awaited<ReturnType<typeof anApi>>['api']) =>
  new Promise<number>((resolve) => api.server.getConnections((_error, count) => resolve(count)))

/** Resolves once all are closed, in order or by an error. */
const closing = (sockets: readonly Socket[]) =>
  Promise.all(
    sockets.map(
      (socket) => socket.destroyed || new Promise((resolve) => socket.once('close', resolve)),
    ),
  )

test('idle connections above the limit replace each other, and others are served', async () => {
  const { api, port } = await anApi({ max: idleMax })

  await openMany(port, idleCount)

  await expect.poll(() => openConnections(api)).toBeLessThanOrEqual(idleMax)
  expect(await askFromElsewhere(port)).toBe(200)
  expect(await openConnections(api)).toBeLessThanOrEqual(idleMax)
})

const slowHeaders = 'GET /things HTTP/1.1\r\nhost: x\r\nx-a'
const slowBody = `${[
  'POST /things/v1/things HTTP/1.1',
  'host: x',
  'content-type: application/json',
  'content-length: 900',
].join('\r\n')}\r\n\r\n{`

test('headers and bodies that arrive slowly keep nobody out, and are given up after ten seconds', async () => {
  const [headers, bodies] = await Promise.all([anApi(), anApi({ requestsMax: 100 })])
  const sockets = [
    ...(await openMany(headers.port, attackers, slowHeaders)),
    ...(await openMany(bodies.port, attackers, slowBody)),
  ]
  const dripping = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(' ')
  }, 500)
  onTestFinished(() => clearInterval(dripping))

  expect(await askFromElsewhere(headers.port)).toBe(200)
  expect(await askFromElsewhere(bodies.port)).toBe(200)
  await closing(sockets)
})

test('a connection whose response is outstanding is not replaced', async () => {
  const handled = Promise.withResolvers<object>()
  const begun = Promise.withResolvers<void>()
  const handler = () => {
    begun.resolve()
    return handled.promise
  }
  const { port } = await anApi({ max: 2, handler })
  const asked = askFromElsewhere(port)
  await begun.promise

  await openMany(port, 20)
  handled.resolve({ ok: true })

  expect(await asked).toBe(200)
})

test('floods of headers are refused with 431, and others are served', async () => {
  const { port } = await anApi({ max: 1_000 })
  const headers = Array.from({ length: 900 }, (_, index) => `x-${index}: ${'a'.repeat(20)}\r\n`)
  const flood = `GET /things HTTP/1.1\r\nhost: x\r\n${headers.join('')}\r\n`
  const first = connect(port, '127.0.0.1')
  onTestFinished(() => void first.destroy())
  first.write(flood)
  const [answer] = await once(first, 'data')
  const sockets = await openMany(port, attackers, flood)

  expect(String(answer)).toMatch(/^HTTP\/1\.1 431 /)
  expect(await askFromElsewhere(port)).toBe(200)
  await closing(sockets)
})

test('no second server, without these limits, listens at the other address of localhost', async () => {
  const other = '127.0.0.2'
  const lookup = vi.spyOn(dns, 'lookup') as unknown as ReturnType<typeof vi.fn>
  onTestFinished(() => lookup.mockRestore())
  lookup.mockImplementation((name, _options, found) => {
    const addresses = name === 'localhost' ? ['127.0.0.1', other] : [name]
    found(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )
  })

  const { port } = await anApi({ host: 'localhost' })

  const [error] = await once(connect(port, other), 'error')
  expect(error.code).toBe('ECONNREFUSED')
})
