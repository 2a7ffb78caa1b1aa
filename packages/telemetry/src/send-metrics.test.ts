import { aKeptLog } from '@despatch/testing/a-kept-log'
import { expect, onTestFinished, test } from 'vitest'
import { aCollector } from '../test/a-collector.ts'
import { createLogger } from './logger.ts'
import { Counter, createMetrics, Gauge, Histogram } from './metrics.ts'
import { openMetricsExport } from './open-metrics-export.ts'

type Point = { attributes: { key: string; value: Record<string, unknown> }[] } & Record<
  string,
  unknown
>
type Sent = {
  resourceMetrics: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeMetrics: {
      metrics: ({ name: string; unit: string } & Record<string, { dataPoints: Point[] }>)[]
    }[]
  }[]
}

/** Opens an export of made-up metrics, which ends with the test. Returns what it logs. */
async function open(url: string, everyMs = 3_600_000) {
  const { log, lines } = aKeptLog('intake')
  const registers = [createMetrics('intake')]
  const letters = { name: 'letters_total', help: 'Letters', labelNames: ['kind'], registers }
  new Counter(letters).inc({ kind: 'a' }, 3)
  new Gauge({ name: 'oldest_seconds', help: 'Age', registers }).set(7)
  const took = new Histogram({ name: 'took_seconds', help: 'Took', buckets: [0.1, 1], registers })
  for (const seconds of [0.05, 0.1, 0.5, 20]) took.observe(seconds)
  const sending = await openMetricsExport('intake', registers, {
    settings: {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
      OTEL_METRIC_EXPORT_INTERVAL: everyMs,
    },
    log,
  })
  onTestFinished(() => sending.close())
  return { sending, lines }
}

test('closing sends the content of /metrics, with labels, counts and buckets', async () => {
  const { calls, url } = await aCollector<Sent>()
  const { sending } = await open(`${url}/`)

  await sending.close()

  expect(calls.map(({ url, headers }) => [url, headers['x-key']])).toEqual([
    ['/v1/metrics', 'secret'],
  ])
  const [{ resource, scopeMetrics } = { resource: undefined, scopeMetrics: [] }] =
    calls[0]!.sent.resourceMetrics
  expect(resource?.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'intake' },
  })
  const metrics = scopeMetrics.flatMap((scope) => scope.metrics)
  expect(metrics).toMatchObject([
    {
      name: 'letters_total',
      sum: {
        isMonotonic: true,
        aggregationTemporality: 2,
        dataPoints: [
          {
            asDouble: 3,
            attributes: [
              { key: 'kind', value: { stringValue: 'a' } },
              { key: 'service', value: { stringValue: 'intake' } },
            ],
          },
        ],
      },
    },
    { name: 'oldest_seconds', unit: 's', gauge: { dataPoints: [{ asDouble: 7 }] } },
    {
      name: 'took_seconds',
      histogram: {
        dataPoints: [{ count: 4, sum: 20.65, explicitBounds: [0.1, 1], bucketCounts: [2, 1, 1] }],
      },
    },
  ])
})

test('a refusal of the collector is logged once, without the address, and sending continues', async () => {
  let status = 400
  const { calls, url } = await aCollector<Sent>(() => status)
  const { lines } = await open(url, 1_000)

  await expect.poll(() => calls.length).toBeGreaterThan(1)
  status = 200
  const refused = calls.length
  await expect.poll(() => calls.length).toBeGreaterThan(refused)

  const warnings = lines.filter((line) => line.includes('metrics.not-sent'))
  expect(warnings).toHaveLength(1)
  expect(warnings.join()).not.toMatch(/127\.0\.0\.1|secret/)
})

test('without the setting no metrics are sent', async () => {
  const { calls, url } = await aCollector<Sent>()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url }
  const log = createLogger({ service: 'intake', level: 'silent' })

  await (await openMetricsExport('intake', [createMetrics('intake')], { settings, log })).close()

  expect(calls).toEqual([])
})
