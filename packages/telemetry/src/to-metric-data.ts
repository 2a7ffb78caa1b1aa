import { type HrTime, ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics'
import type { MetricObject, MetricObjectWithValues, MetricValue } from 'prom-client'

type Labels = Readonly<Record<string, string | number>>
type Sample = { value: number; labels: Labels; metricName?: string }
type Times = { startTime: HrTime; endTime: HrTime }

/**
 * Returns a metric of a registry as OpenTelemetry has it, with the same name and labels. Undefined: it has no samples,
 * or is a summary, which OpenTelemetry does not have.
 */
export function toMetricData(
  metric: MetricObject | MetricObjectWithValues<MetricValue<string>>,
  times: Times,
): MetricData | undefined {
  const samples = 'values' in metric ? (metric.values as unknown as Sample[]) : []
  if (samples.length === 0) return undefined
  const descriptor = {
    name: metric.name,
    description: metric.help,
    unit: unitOf(metric.name),
    valueType: ValueType.DOUBLE,
  }
  const aggregationTemporality = AggregationTemporality.CUMULATIVE
  const common = { descriptor, aggregationTemporality }
  const points = () =>
    samples.map(({ value, labels }) => ({ ...times, attributes: { ...labels }, value }))
  // prom-client states the type as a string
  switch (String(metric.type)) {
    case 'counter': {
      const dataPointType = DataPointType.SUM
      return { ...common, dataPointType, isMonotonic: true, dataPoints: points() }
    }
    case 'gauge':
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() }
    case 'histogram': {
      const dataPoints = histogramsOf(metric.name, samples).map(({ labels, histogram }) => ({
        ...times,
        attributes: { ...labels },
        value: histogram,
      }))
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }
    }
    default:
      return undefined
  }
}

/** Joins the samples of each set of labels. A bucket counts all observations up to its boundary. */
function histogramsOf(
  name: string,
  samples: readonly Sample[],
): { labels: Labels; histogram: Histogram }[] {
  const found = new Map<string, { labels: Labels; samples: Sample[] }>()
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels
    const key = JSON.stringify(Object.entries(labels).sort())
    const known = found.get(key) ?? { labels, samples: [] }
    known.samples.push(sample)
    found.set(key, known)
  }
  return [...found.values()].map(({ labels, samples }) => {
    const numberOf = (part: string) =>
      samples.find(({ metricName }) => metricName === `${name}_${part}`)?.value ?? 0
    const buckets = samples
      .filter(({ labels: { le } }) => le !== undefined && le !== '+Inf')
      .map(({ labels: { le }, value }) => ({ boundary: Number(le), upTo: value }))
      .sort((one, other) => one.boundary - other.boundary)
    const count = numberOf('count')
    const upTo = [...buckets.map((bucket) => bucket.upTo), count]
    const histogram = {
      buckets: {
        boundaries: buckets.map(({ boundary }) => boundary),
        counts: upTo.map((value, index) => value - (upTo[index - 1] ?? 0)),
      },
      sum: numberOf('sum'),
      count,
    }
    return { labels, histogram }
  })
}

/** Returns the unit that a name ends with, in the notation of UCUM. */
function unitOf(name: string): string {
  if (/_seconds(_total|_sum)?$/.test(name)) return 's'
  return /_bytes(_total)?$/.test(name) ? 'By' : ''
}
