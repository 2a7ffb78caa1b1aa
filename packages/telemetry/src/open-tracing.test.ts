import { aKeptLog } from '@despatch/testing/a-kept-log'
import { expect, onTestFinished, test, vi } from 'vitest'
import { aCollector } from '../test/a-collector.ts'
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

test('pending spans are sent when tracing closes, with the configured headers', async () => {
  const { calls, url } = await aCollector<Sent>()
  const tracing = await openTracing('intake', {
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%2Cb==, x-tenant=letters',
    },
    log,
  })

  tracing.startSpan('stage.validate').end()
  await tracing.close()

  expect(calls.map(({ url, sent }) => [url, namesOf(sent)])).toEqual([
    ['/v1/traces', ['stage.validate']],
  ])
  expect(calls[0]?.headers).toMatchObject({ 'x-key': 'a,b==', 'x-tenant': 'letters' })
})

const recorded = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const notRecorded = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'

test.each<[share: number, recorded: string[]]>([
  [0, ['continues']],
  [1, ['begins here', 'request', 'request to be recorded', 'request not to', 'continues']],
])('with a sampling share of %d, the recorded spans are %j', async (share, expected) => {
  const { calls, url } = await aCollector<Sent>()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: share }
  const tracing = await openTracing('intake', { settings, log })

  tracing.startSpan('begins here').end()
  tracing.startSpan('request', { kind: 'server', parent: null }).end()
  tracing.startSpan('request to be recorded', { kind: 'server', parent: recorded }).end()
  tracing.startSpan('request not to', { kind: 'server', parent: notRecorded }).end()
  tracing.startSpan('continues', { parent: recorded }).end()
  tracing.startSpan('continues what is not', { parent: notRecorded }).end()
  await tracing.close()

  expect(calls.flatMap(({ sent }) => namesOf(sent))).toEqual(expected)
})

test('an unrecorded request, and spans that continue it, stay in the trace of the caller', async () => {
  const settings = { OTEL_TRACES_EXPORTER: 'otlp' as const, OTEL_TRACES_SAMPLER_ARG: 0 }
  const tracing = await openTracing('intake', { settings, log })
  onTestFinished(() => tracing.close())

  const request = tracing.startSpan('request', { kind: 'server', parent: recorded })

  expect(request.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/)
})

test('a caller cannot choose a trace id to have its trace recorded', async () => {
  const { calls, url } = await aCollector<Sent>()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: 0.5 }
  const tracing = await openTracing('intake', { settings, log })
  const lowest = `00-${'0'.repeat(31)}1-00f067aa0ba902b7-01`

  for (let request = 0; request < 200; request += 1) {
    tracing.startSpan('request', { kind: 'server', parent: lowest }).end()
  }
  await tracing.close()

  const count = calls.flatMap(({ sent }) => namesOf(sent)).length
  expect(count).toBeGreaterThan(20)
  expect(count).toBeLessThan(180)
})

test('an unavailable collector does not cause an error or delay closing', async () => {
  const { log, lines } = aKeptLog('intake')
  const tracing = await openTracing('intake', {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://key:SECRET@127.0.0.1:9' },
    log,
  })

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  tracing.startSpan('stage.validate').end()
  const closed = tracing.close()
  await vi.advanceTimersByTimeAsync(3_000)
  await closed

  expect(lines.join()).not.toContain('SECRET')
})

test('a refusal of the collector is logged without its address or body', async () => {
  const { url } = await aCollector<Sent>(() => 400)
  const { log, lines } = aKeptLog('intake')
  const tracing = await openTracing('intake', {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
    log,
  })

  tracing.startSpan('stage.validate').end()
  await tracing.close()

  expect(lines.map((line) => JSON.parse(line))).toEqual([
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

function namesOf({ resourceSpans }: Sent): string[] {
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name)),
  )
}
