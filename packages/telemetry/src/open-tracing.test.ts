import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from './logger.ts'
import { openTracing, type TracingSettings } from './open-tracing.ts'

const log = createLogger({ service: 'intake', level: 'silent' })

test.each<[string, TracingSettings, boolean]>([
  ['nothing is set', {}, false],
  ['a collector is named', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
  ['they are to be sent', { OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [
    'they are not to be sent, whatever collector is named',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' },
    false,
  ],
])('tracing is on or off when %s', async (_case, settings, isOn) => {
  const tracing = await openTracing('intake', { settings, log })
  onTestFinished(() => tracing.close())

  expect(tracing.isOn).toBe(isOn)
})

test('pending spans are sent when tracing closes', async () => {
  const collector = await startCollector()
  const tracing = await openTracing('intake', {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` },
    log,
  })

  tracing.startSpan('stage.validate').end()
  await tracing.close()

  expect(collector.calls).toEqual([['/v1/traces', ['stage.validate']]])
})

test('the collector receives the configured headers', async () => {
  const collector = await startCollector()
  const tracing = await openTracing('intake', {
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%2Cb==, x-tenant=letters',
    },
    log,
  })

  tracing.startSpan('stage.validate').end()
  await tracing.close()

  expect(collector.headers[0]).toMatchObject({ 'x-key': 'a,b==', 'x-tenant': 'letters' })
})

const recorded = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const notRecorded = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'

test.each<[share: number, recorded: string[]]>([
  [0, ['continues what is recorded']],
  [
    1,
    [
      'begins here',
      'request',
      'request to be recorded',
      'request not to',
      'continues what is recorded',
    ],
  ],
])('with a sampling share of %d, the recorded spans are %j', async (share, expected) => {
  const collector = await startCollector()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: share }
  const tracing = await openTracing('intake', { settings, log })

  tracing.startSpan('begins here').end()
  tracing.startSpan('request', { kind: 'server', parent: null }).end()
  tracing.startSpan('request to be recorded', { kind: 'server', parent: recorded }).end()
  tracing.startSpan('request not to', { kind: 'server', parent: notRecorded }).end()
  tracing.startSpan('continues what is recorded', { parent: recorded }).end()
  tracing.startSpan('continues what is not', { parent: notRecorded }).end()
  await tracing.close()

  expect(collector.calls).toEqual([['/v1/traces', expected]])
})

test('an unrecorded request, and spans that continue it, stay in the trace of the caller', async () => {
  const settings = { OTEL_TRACES_EXPORTER: 'otlp' as const, OTEL_TRACES_SAMPLER_ARG: 0 }
  const tracing = await openTracing('intake', { settings, log })
  onTestFinished(() => tracing.close())

  const request = tracing.startSpan('request', { kind: 'server', parent: recorded })

  expect(request.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/)
})

test('a caller cannot choose a trace id to have its trace recorded', async () => {
  const collector = await startCollector()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: 0.5 }
  const tracing = await openTracing('intake', { settings, log })
  const lowest = `00-${'0'.repeat(31)}1-00f067aa0ba902b7-01`

  for (let request = 0; request < 200; request += 1) {
    tracing.startSpan('request', { kind: 'server', parent: lowest }).end()
  }
  await tracing.close()

  const count = collector.calls.flatMap(([, names]) => names).length
  expect(count).toBeGreaterThan(20)
  expect(count).toBeLessThan(180)
})

test('an unavailable collector does not cause an error or delay closing', async () => {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const tracing = await openTracing('intake', {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://key:SECRET@127.0.0.1:9' },
    log: createLogger({ service: 'intake', destination }),
  })

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  tracing.startSpan('stage.validate').end()
  const closed = tracing.close()
  await vi.advanceTimersByTimeAsync(3_000)
  await closed

  expect(JSON.stringify(lines)).not.toContain('SECRET')
})

test('a refusal of the collector is logged without its address or body', async () => {
  const collector = await startCollector(400)
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const tracing = await openTracing('intake', {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    log: createLogger({ service: 'intake', destination }),
  })

  tracing.startSpan('stage.validate').end()
  await tracing.close()

  expect(lines).toEqual([
    {
      level: 'warn',
      time: expect.any(String),
      service: 'intake',
      spans: 1,
      failure: 'OTLPExporterError',
      msg: 'traces.not-sent',
    },
  ])
})

type Sent = { resourceSpans: { scopeSpans: { spans: { name: string }[] }[] }[] }

async function startCollector(status = 200) {
  const calls: [string | undefined, string[]][] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Sent
    const spans = resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    )
    headers.push(request.headers)
    calls.push([request.url, spans.map(({ name }) => name)])
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, headers }
}
