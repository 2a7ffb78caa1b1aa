import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Card, Head, Icon, Skeleton, Time } from '../parts/elements.tsx'
import { count } from '../parts/format.ts'
import { announce } from '../parts/notice.ts'
import { groupMetrics, type Metric, parseMetrics } from '../parts/prometheus.ts'
import { pollMsMax, repeat } from '../parts/repeat.ts'
import { start } from '../parts/shell.tsx'

const readEveryMs = 10_000
const samplesShownMax = 200

const metrics = signal<readonly Metric[] | undefined>()
const readAt = signal('')
const refusal = signal('')
const wanted = signal('')

async function read(): Promise<void> {
  const signal = AbortSignal.timeout(pollMsMax)
  const answer = await fetch('/metrics', { signal }).catch(() => undefined)
  const text = answer?.ok ? await answer.text().catch(() => undefined) : undefined
  refusal.value =
    text !== undefined
      ? ''
      : answer?.status === 401
        ? 'This deployment shows metrics only with DESPATCH_METRICS_TOKEN. Ask Prometheus instead.'
        : 'The metrics do not respond.'
  if (text === undefined) return
  metrics.value = parseMetrics(text)
  readAt.value = new Date().toISOString()
}

function MetricsPage() {
  useEffect(() => repeat(read, readEveryMs), [])
  const heading = (
    <Head
      title="Metrics"
      beside={
        readAt.value && (
          <span class="meta">
            as of <Time at={readAt.value} style="clock" />
          </span>
        )
      }
      tools={
        <a class="btn" href="/metrics">
          <Icon name="ext" />
          For Prometheus
        </a>
      }
    />
  )
  if (refusal.value) {
    return (
      <>
        {heading}
        <section class="card">
          <p class="empty">{refusal.value}</p>
        </section>
      </>
    )
  }
  if (!metrics.value) {
    return (
      <>
        {heading}
        <Skeleton title="Metrics" />
      </>
    )
  }
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = metrics.value.filter(({ name, help }) =>
    words.every((word) => `${name} ${help}`.toLowerCase().includes(word)),
  )
  return (
    <>
      {heading}
      <form class="filters" aria-label="Find metrics" onSubmit={(event) => event.preventDefault()}>
        <input
          class="filter-text"
          type="search"
          aria-label="Words of a metric"
          placeholder="Words of a metric"
          value={wanted.value}
          onInput={(event) => {
            wanted.value = event.currentTarget.value
          }}
          onChange={() => announce(`Metrics shown: ${count(shown.length)}.`, { isUnseen: true })}
        />
        <p class="tally">
          {count(shown.length)} of {count(metrics.value.length)} metrics
        </p>
      </form>
      <div class="stack">
        {shown.length === 0 ? (
          <section class="card">
            <p class="empty">No metric has these words. Try fewer.</p>
          </section>
        ) : (
          groupMetrics(shown).map(({ group, metrics }) => (
            <Card title={group} meta={count(metrics.length)}>
              {metrics.map(metricOf)}
            </Card>
          ))
        )}
      </div>
    </>
  )
}

function metricOf({ name, help, type, samples }: Metric) {
  const [first] = samples
  const only =
    samples.length === 1 && first ? count(first.value) : `${count(samples.length)} values`
  return (
    <details class="metric" open={samples.length === 1 && first?.labels !== '' ? undefined : false}>
      <summary>
        <span class="mono">{name}</span>
        <b>{only}</b>
        <span class="sub">
          {help} ({type})
        </span>
      </summary>
      <ul>
        {samples.slice(0, samplesShownMax).map(({ labels, value }) => (
          <li>
            <span class="mono">{labels || 'value'}</span>
            <b>{numberOf(value)}</b>
          </li>
        ))}
      </ul>
    </details>
  )
}

function numberOf(value: number): string {
  return Number.isInteger(value) ? count(value) : value.toPrecision(4)
}

start(MetricsPage)
