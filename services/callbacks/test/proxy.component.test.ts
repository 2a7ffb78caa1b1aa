import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { parseRange } from '@despatch/domain/callback/may-call'
import { afterEach, expect, test } from 'vitest'
import type { OutboundOptions } from '../src/outbound/outbound.ts'
import { type Answer, aProxy, connects } from './a-proxy.ts'
import { selfSigned, startReceivers } from './receivers.ts'

const receivers = startReceivers()
const { outboundTo, serve, serveTls } = receivers
afterEach(() => receivers.close())

const address = '127.0.0.1'
const delivered = {
  result: { kind: 'answered', httpStatus: 204 },
  outcome: 'delivered',
  address,
}

const answers =
  (status: string): Answer =>
  (_request, socket) =>
    socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)

function callsThrough(port: number, given: Partial<OutboundOptions> = {}, user = '') {
  const proxy = new URL(`http://${user}${address}:${port}`)
  return outboundTo({ proxy, resolve: async () => [{ address, family: 4 }], ...given })
}

test('asks the proxy for the checked address, with credentials, and the receiver gets its own name', async () => {
  const { port: proxyPort, asked } = await aProxy()
  const seen: unknown[] = []
  const port = await serve(async (request, response) => {
    const { host, 'proxy-authorization': credentials } = request.headers
    seen.push([host, credentials, await text(request)])
    response.writeHead(204).end()
  })
  const post = callsThrough(proxyPort, {}, 'us%3Aer:p%40ss@')

  const answer = await post(`http://receiver.example:${port}`)
  // A connection is free again in the turn after its response has ended.
  await nextTurn()
  const again = await post(`http://receiver.example:${port}`)

  const credentials = `Basic ${Buffer.from('us:er:p@ss').toString('base64')}`
  const endpoint = `${address}:${port}`
  expect([answer, again]).toEqual([delivered, delivered])
  expect(asked).toEqual([{ url: endpoint, host: endpoint, credentials }])
  const call = [`receiver.example:${port}`, undefined, '{}']
  expect(seen).toEqual([call, call])
})

test('verifies the certificate of the receiver by its name, through the proxy', async () => {
  const { port: proxyPort, asked } = await aProxy()
  const port = await serveTls((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'))
  })
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, selfSigned])
  const post = callsThrough(proxyPort)

  const named = await post(`https://receiver.example:${port}`)
  const misnamed = await post(`https://other.example:${port}`).finally(() =>
    setDefaultCACertificates(before),
  )

  expect(named).toEqual(delivered)
  expect(misnamed).toMatchObject({
    outcome: 'tls_error',
    failure: 'ERR_TLS_CERT_ALTNAME_INVALID',
    address,
  })
  expect(asked.map(({ url }) => url)).toEqual([`${address}:${port}`, `${address}:${port}`])
})

test('does not ask the proxy for a forbidden address', async () => {
  const { port, asked } = await aProxy()
  const post = callsThrough(port, {
    allowed: [parseRange('127.0.0.2/32')!, parseRange('169.254.0.0/16')!],
    resolve: async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ],
  })
  const origins = ['http://rebound.example:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']

  const outcomes = await Promise.all(origins.map((origin) => post(origin)))

  expect(outcomes.map(({ outcome }) => outcome)).toEqual(origins.map(() => 'blocked_address'))
  expect(asked).toEqual([])
})

test('tries the next address if the proxy cannot reach one, and writes IPv6 in brackets', async () => {
  const { port: proxyPort, asked } = await aProxy((request, socket) =>
    request.url?.startsWith('[')
      ? answers('502 Bad Gateway')(request, socket)
      : connects(request, socket),
  )
  const port = await serve((_request, response) => response.writeHead(204).end())
  const post = callsThrough(proxyPort, {
    allowed: [parseRange('::1/128')!, parseRange('127.0.0.0/8')!],
    resolve: async () => [
      { address: '::1', family: 6 },
      { address, family: 4 },
    ],
  })

  expect(await post(`http://receiver.example:${port}`)).toEqual(delivered)
  expect(asked.map(({ url }) => url)).toEqual([`[::1]:${port}`, `${address}:${port}`])
})

test.for<[status: string, kind: string, failure: string]>([
  ['407 Proxy Authentication Required', 'fault', 'PROXY_407'],
  ['403 Forbidden', 'unreached', 'PROXY_403'],
  ['502 Bad Gateway', 'unreached', 'PROXY_502'],
])('%s from the proxy is a %s', async ([status, kind, failure]) => {
  const { port } = await aProxy(answers(status))

  expect(await callsThrough(port)('http://receiver.example:8080')).toEqual({
    result: { kind },
    outcome: 'connection_failed',
    failure,
  })
})

test('an unavailable proxy is a fault of ours, with any target', async () => {
  const server = createServer()
  await once(server.listen(0, address), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))

  expect(await callsThrough(port)('http://receiver.example:8080')).toEqual({
    result: { kind: 'fault' },
    outcome: 'connection_failed',
    failure: 'ECONNREFUSED',
  })
})

test('a call ends at its deadline if the proxy never answers', async () => {
  const { port } = await aProxy(() => {})

  const answer = await callsThrough(port, { deadlineMs: 300 })('http://receiver.example:8080')

  expect(answer).toMatchObject({ result: { kind: 'unreached' }, outcome: 'timeout' })
})
