import { once } from 'node:events'
import { connect } from 'node:net'
import { createApi } from '@despatch/http/api'
import type { Service } from '@despatch/http/service'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from './gateway.ts'

const statuses: Record<string, number> = {
  'malformed-request': 400,
  'request-timeout': 408,
  'expectation-failed': 417,
  'headers-too-large': 431,
}

async function aService(name: string): Promise<Service> {
  const api = await createApi({
    name,
    prefix: `/${name}`,
    log: createLogger({ service: name, level: 'silent' }),
    metrics: createMetrics(name),
    bodyBytesMax: 1_000,
    openapi: { title: name, description: '', version: '1.0.0' },
    renderProblem: ({ kind }) => ({ status: statuses[kind] ?? 404, body: { name, kind } }),
    renderFault: () => ({ status: 500, body: {} }),
  })
  await api.ready()
  onTestFinished(() => api.close())
  return { name, api, ready: async () => [], close: () => api.close() }
}

/** A gateway without a route for `/`, as the public one. */
async function aPort({
  isOpen = true,
  recordRefusal = (..._refusal: string[]) => {},
} = {}): Promise<number> {
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    showsChecks: false,
    connections: {},
    recordRefusal,
  })
  onTestFinished(() => gateway.close())
  if (isOpen) {
    gateway.open(
      [
        { prefix: '/things', service: await aService('things') },
        { prefix: '/others', service: await aService('others') },
      ],
      { ready: async () => [], alive: async () => [] },
    )
  }
  return gateway.port
}

/** Sends the packets, each once the one before has been read, until the server closes the connection. */
async function exchange(port: number, ...packets: string[]) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay()
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  for (const packet of packets) {
    socket.write(packet)
    // The server has read the packet once it answers a request on a connection that began later.
    await fetch(`http://127.0.0.1:${port}/health/live`)
  }
  if (!socket.closed) await once(socket, 'close')
  const answers = Buffer.concat(chunks)
    .toString()
    .split(/(?=HTTP\/1\.1 \d)/)
  const [head = '', body = ''] = answers.at(-1)!.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body: body && JSON.parse(body) }
}

const large = `x-a: ${'a'.repeat(20_000)}\r\n\r\n`
const own = (status: string) => ({ errors: [{ status, detail: expect.any(String) }] })

test.for([
  ['no address', ['GET\r\n\r\n'], 400, '400 BAD_REQUEST'],
  ['an absolute address', ['GET http://x/ HTTP/1.1\r\nno colon\r\n\r\n'], 400, '400 BAD_REQUEST'],
  ['HTTP/2', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], 400, '400 BAD_REQUEST'],
  ['a request without Host', ['GET /health/live HTTP/1.1\r\n\r\n'], 400, '400 BAD_REQUEST'],
  ['CONNECT', ['CONNECT x:443 HTTP/1.1\r\n\r\n'], 405, '405 METHOD_NOT_ALLOWED'],
  ['an unknown address', ['GET /x HTTP/1.1\r\nno colon\r\n\r\n'], 400, '400 BAD_REQUEST'],
  [
    'an unknown Expect of an unknown address',
    ['GET /x HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n'],
    417,
    '417 EXPECTATION_FAILED',
  ],
  [
    'large headers of an unknown address',
    ['GET /x HTTP/1.1\r\n', large],
    431,
    '431 REQUEST_HEADER_FIELDS_TOO_LARGE',
  ],
  [
    'a request line in two packets',
    ['GET /thi', 'ngs HTTP/1.1\r\nno colon\r\n\r\n'],
    400,
    '400 BAD_REQUEST',
  ],
] as const)('answers %s in its own shape', async ([, packets, status, text]) => {
  const answer = await exchange(await aPort(), ...packets)

  expect(answer).toMatchObject({ status, body: own(text) })
})

test('answers in its own shape while the services start', async () => {
  const answer = await exchange(await aPort({ isOpen: false }), 'GET /things HTTP/1.1\r\n?\r\n\r\n')

  expect(answer).toMatchObject({ status: 400, body: own('400 BAD_REQUEST') })
})

const served = 'GET /things/v1 HTTP/1.1\r\nhost: x\r\n\r\n'

test.for([
  ['a header of a later packet', ['GET /things/v1 HTTP/1.1\r\n', 'no colon\r\n\r\n'], 400],
  ['large headers of a later packet', ['GET /things/v1 HTTP/1.1\r\n', large], 431],
  ['a request without Host', ['GET /things/v1 HTTP/1.1\r\n\r\n'], 400],
  ['a later request', [served, 'GET\r\n\r\n'], 400],
  [
    'a later request of another service',
    [served.replaceAll('things', 'others'), 'GET /things/v1 HTTP/1.1\r\n', 'no colon\r\n\r\n'],
    400,
  ],
] as const)('answers %s in the shape of the API', async ([, packets, status]) => {
  const answer = await exchange(await aPort(), ...packets)

  expect(answer).toMatchObject({ status, body: { name: 'things' } })
})

test('records refusals that it answers itself', async () => {
  const refusals: string[][] = []
  const port = await aPort({ recordRefusal: (...refusal) => refusals.push(refusal) })

  await exchange(port, 'GET /x?secret HTTP/1.1\r\nno colon\r\n\r\n')
  await exchange(port, 'GET /things HTTP/1.1\r\nno colon\r\n\r\n')

  expect(refusals).toEqual([['malformed-request', expect.stringMatching(/^[\da-f-]{36}$/)]])
})

test('answers headers that do not arrive in time', async () => {
  const port = await aPort()

  const answers = await Promise.all([
    exchange(port, 'GET /things/v1 HTTP/1.1\r\n'),
    exchange(port, 'GET /x HTTP/1.1\r\n'),
    exchange(port, 'GE'),
  ])

  expect(answers).toMatchObject([
    { status: 408, body: { name: 'things' } },
    { status: 408, body: own('408 REQUEST_TIMEOUT') },
    { status: 408, body: own('408 REQUEST_TIMEOUT') },
  ])
})
