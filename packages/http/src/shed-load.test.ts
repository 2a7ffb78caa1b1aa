import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { Caller } from '@despatch/domain/access/caller'
import { eventually } from '@despatch/testing/eventually'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { aSmallApi } from '../test/a-small-api.ts'
import { registerHealth } from './health.ts'

/** An API whose only operation blocks until the test lets it continue. */
async function aHeldApi(
  admission: { requestsMax: number; bodyBytesMax: number },
  { whenKnown }: { whenKnown?: () => Promise<void> } = {},
) {
  const gate = Promise.withResolvers<void>()
  let asked = 0
  const { api, lines, metrics } = await aSmallApi({
    admission,
    authenticate: (headers) => {
      asked += 1
      const consumerId = String(headers['x-api-key'])
      const caller: Caller = { consumerId, apiKeyHash: Buffer.alloc(32), roles: ['consumer'] }
      return whenKnown ? whenKnown().then(() => caller) : caller
    },
  })
  registerHealth(api, { ready: async () => [{ name: 'database', ok: true }], metrics })
  api.route({
    method: 'POST',
    url: '/things/v1/things',
    schema: { body: z.object({ name: z.string() }) },
    handler: async () => {
      await gate.promise
      return { ok: true }
    },
  })
  const post = (consumer = 'c1', payload: object = { name: 'thing' }) =>
    api.inject({
      method: 'POST',
      url: '/things/v1/things',
      headers: { 'x-api-key': consumer },
      payload,
    })
  const inFlight = async () => {
    const [metric] = await metrics
      .getMetricsAsJSON()
      .then((all) => all.filter(({ name }) => name === 'http_requests_in_flight'))
    return metric!.values[0]!.value
  }
  const becomes = (requests: number) =>
    eventually(async () => (await inFlight()) === requests, {
      message: `${requests} requests are under way`,
    })
  return { api, gate, lines, metrics, post, becomes, asked: () => asked }
}

const roomy = { requestsMax: 100, bodyBytesMax: 1_000_000 }
const refusal = {
  kind: 'unavailable',
  detail: 'The service is temporarily unavailable. Retry the request.',
}

test('answers 503 with Retry-After when all places are taken, before authentication', async () => {
  const { gate, lines, metrics, post, becomes, asked } = await aHeldApi({
    ...roomy,
    requestsMax: 2,
  })
  const held = [post('c1'), post('c2')]
  await becomes(2)

  const shed = await post('c3')

  expect([shed.statusCode, shed.json()]).toEqual([503, refusal])
  expect(shed.headers['retry-after']).toMatch(/^[2-5]$/)
  expect(asked()).toBe(2)
  expect(lines.at(-1)).toMatchObject({ msg: 'request.served', status: 503, shed: 'requests' })
  expect(await metrics.metrics()).toContain('http_requests_shed_total{reason="requests"')
  gate.resolve()
  expect((await Promise.all(held)).map(({ statusCode }) => statusCode)).toEqual([200, 200])
  expect((await post('c3')).statusCode).toBe(200)
})

test.each([
  ['before authentication', true, ['content-length: 500\r\n\r\n{', 'content-length: 2\r\n\r\n{}']],
  ['before the end of its body', false, ['content-length: 900\r\n\r\n{']],
])('frees the place of a caller that leaves %s', async (_when, isUnknown, requests) => {
  const known = Promise.withResolvers<void>()
  const { api, becomes } = await aHeldApi(
    roomy,
    isUnknown ? { whenKnown: () => known.promise } : {},
  )
  const { port } = new URL(await api.listen({ host: '127.0.0.1', port: 0 }))
  const head =
    'POST /things/v1/things HTTP/1.1\r\nhost: x\r\nx-api-key: c1\r\ncontent-type: application/json\r\n'
  const callers = requests.map((rest) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.write(head + rest)
    return socket
  })
  await becomes(callers.length)

  for (const socket of callers) socket.resetAndDestroy()

  await becomes(0)
  known.resolve()
})

test('answers health and metrics while all places are taken', async () => {
  const { api, gate, post, becomes } = await aHeldApi({ ...roomy, requestsMax: 1 })
  const held = post()
  await becomes(1)

  const answers = await Promise.all(
    ['/health/live', '/health/ready', '/metrics'].map((url) => api.inject({ url })),
  )

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  gate.resolve()
  await held
})

test('refuses a consumer that has used its share, and admits another', async () => {
  const { gate, post, becomes } = await aHeldApi({ ...roomy, requestsMax: 10 })
  const held = Array.from({ length: 8 }, () => post('greedy'))
  await becomes(8)

  const shed = await post('greedy')
  held.push(post('another'))
  await becomes(9)

  expect([shed.statusCode, shed.json()]).toEqual([503, refusal])
  gate.resolve()
  expect((await Promise.all(held)).every(({ statusCode }) => statusCode === 200)).toBe(true)
  await becomes(0)
})

test('refuses a body that exceeds the room for bodies', async () => {
  const { gate, post, becomes } = await aHeldApi({ ...roomy, bodyBytesMax: 900 })
  const held = post('c1', { name: 'x'.repeat(500) })
  await becomes(1)

  expect((await post('c2', { name: 'x'.repeat(500) })).statusCode).toBe(503)
  gate.resolve()
  await held
  expect((await post('c2', { name: 'x'.repeat(500) })).statusCode).toBe(200)
})

test('counts a request whose caller has left until its work ends', async () => {
  const { api, gate, becomes, post } = await aHeldApi({ ...roomy, requestsMax: 1 })
  await api.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((api.server.address() as AddressInfo).port, '127.0.0.1')
  const body = JSON.stringify({ name: 'thing' })
  socket.write(
    `POST /things/v1/things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await becomes(1)

  socket.resetAndDestroy()
  await once(socket, 'close')
  expect((await post()).statusCode).toBe(503)
  gate.resolve()

  await becomes(0)
  expect((await post()).statusCode).toBe(200)
})
