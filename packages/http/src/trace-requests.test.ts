import { once } from 'node:events'
import { connect } from 'node:net'
import { recordSpans } from '@despatch/telemetry/record-spans'
import { noTracing, type Tracing } from '@despatch/telemetry/tracing'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { aSmallApi } from '../test/a-small-api.ts'
import { registerHealth } from './health.ts'
import { traceContextOf } from './trace-requests.ts'

type Ended = Parameters<Parameters<typeof recordSpans>[0]['processor']['onEnd']>[0]

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

async function aTracedApi(given?: Tracing) {
  const ended: Ended[] = []
  const recording = recordSpans({
    service: 'things',
    processor: {
      onStart: () => {},
      onEnd: (span) => void ended.push(span),
      forceFlush: async () => {},
      shutdown: async () => {},
    },
  })
  const { api, lines, metrics } = await aSmallApi({ tracing: given ?? recording })
  registerHealth(api, { ready: async () => [], metrics })
  api.route({
    method: 'POST',
    url: '/things/v1/things/:thingId',
    schema: { body: z.object({ name: z.string() }) },
    handler: async (request) => {
      request.log.info('thing.made')
      if (request.body.name === 'broken') throw new Error('disk of SECRET is full')
      return { traceContext: traceContextOf(request) }
    },
  })
  return { api, ended, lines }
}

const post = (name: string, headers: Record<string, string> = {}) => ({
  method: 'POST' as const,
  url: '/things/v1/things/SECRET?token=SECRET',
  headers: { 'x-api-key': 'SECRET', 'x-correlation-id': 'SECRET', ...headers },
  payload: { name },
})

test('the span of a request joins the trace of its caller, with route and status and without content', async () => {
  const { api, ended } = await aTracedApi()

  const answer = await api.inject(post('SECRET', { traceparent, tracestate: 'a=SECRET' }))

  expect(ended).toHaveLength(1)
  const [span] = ended as [Ended]
  const { spanId } = span.spanContext()
  expect(answer.json()).toEqual({ traceContext: `00-${traceId}-${spanId}-01` })
  expect(span.parentSpanContext?.spanId).toBe('00f067aa0ba902b7')
  expect(span).toMatchObject({ name: 'POST /things/v1/things/:thingId', kind: 1 })
  expect(span.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/things/v1/things/:thingId',
    'http.response.status_code': 200,
  })
  expect([span.events, span.links, span.spanContext().traceState]).toEqual([[], [], undefined])
})

test('the span of a fault has the status without the message', async () => {
  const { api, ended } = await aTracedApi()

  await api.inject(post('broken'))

  const [span] = ended as [Ended]
  expect(span.status).toEqual({ code: 2 })
  expect(span.attributes).toMatchObject({ 'error.type': '500', 'http.response.status_code': 500 })
  expect(JSON.stringify([span.attributes, span.events, span.status])).not.toContain('SECRET')
})

test.each([
  undefined,
  '',
  'SECRET',
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `${traceparent}, ${traceparent}`,
])('a request with the traceparent %s starts a new trace', async (given) => {
  const { api, ended } = await aTracedApi()

  await api.inject(post('a', given === undefined ? {} : { traceparent: given }))

  expect(ended.map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined])
})

test('every log line of a request names the trace, over a real connection too', async () => {
  const { api, lines } = await aTracedApi()
  const address = await api.listen({ host: '127.0.0.1', port: 0 })

  await fetch(`${address}/things/v1/things/1`, {
    method: 'POST',
    headers: { traceparent, 'content-type': 'application/json' },
    body: '{"name":"a"}',
  })

  const told = lines.filter(({ correlationId }) => correlationId !== undefined)
  expect(told.map((line) => [line.msg, line.traceId])).toEqual([
    ['thing.made', traceId],
    ['request.served', traceId],
  ])
})

test('a request whose caller goes away ends its span', async () => {
  const { api, ended } = await aTracedApi()
  await api.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST /things/v1/things/1 HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n')
  socket.write('content-length: 100\r\n\r\n{')
  socket.destroySoon()

  await vi.waitFor(() =>
    expect(ended.map(({ attributes }) => attributes['error.type'])).toEqual(['aborted']),
  )
})

test('health, metrics and unknown paths make no spans', async () => {
  const { api, ended } = await aTracedApi()

  for (const url of ['/health/live', '/health/ready', '/metrics', '/things/v1/nothing', '/']) {
    await api.inject({ url, headers: { traceparent } })
  }

  expect(ended).toEqual([])
})

test.each([
  [traceparent, traceparent],
  [`cc-${traceId}-00f067aa0ba902b7-03-later`, traceparent],
  ['SECRET', null],
  [undefined, null],
])('with tracing off, a request with the traceparent %s passes on %s', async (given, left) => {
  const { api, lines } = await aTracedApi(noTracing)

  const answer = await api.inject(post('a', given === undefined ? {} : { traceparent: given }))

  expect(answer.json()).toEqual({ traceContext: left })
  expect(lines.some((line) => 'traceId' in line)).toBe(false)
})
