import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { card, empty, head, icon, skeleton, time } from '../parts/elements.ts'
import { count } from '../parts/format.ts'
import { announce } from '../parts/notice.ts'
import { groupMetrics, type Metric, parseMetrics } from '../parts/prometheus.ts'
import { pollMsMax, repeat } from '../parts/repeat.ts'
import { start } from '../parts/shell.ts'

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

function MetricsPage(): JSX.Element[] {
  useEffect(() => repeat(read, readEveryMs), [])
  const heading = head('Metrics', {
    beside: readAt.value && h('span', { class: 'meta' }, 'as of ', time(readAt.value, 'clock')),
    tools: h('a', { class: 'btn', href: '/metrics' }, icon('ext'), 'For Prometheus'),
  })
  if (refusal.value) return [...heading, h('section', { class: 'card' }, empty(refusal.value))]
  if (!metrics.value) return [...heading, skeleton('Metrics')]
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = metrics.value.filter(({ name, help }) =>
    words.every((word) => `${name} ${help}`.toLowerCase().includes(word)),
  )
  return [
    ...heading,
    h(
      'form',
      {
        class: 'filters',
        'aria-label': 'Find metrics',
        onSubmit: (event: Event) => event.preventDefault(),
      },
      h('input', {
        class: 'filter-text',
        type: 'search',
        'aria-label': 'Words of a metric',
        placeholder: 'Words of a metric',
        value: wanted.value,
        onInput: (event: Event) => {
          wanted.value = (event.currentTarget as HTMLInputElement).value
        },
        onChange: () => announce(`Metrics shown: ${count(shown.length)}.`, { isUnseen: true }),
      }),
      h(
        'p',
        { class: 'tally' },
        `${count(shown.length)} of ${count(metrics.value.length)} metrics`,
      ),
    ),
    h(
      'div',
      { class: 'stack' },
      shown.length === 0
        ? h('section', { class: 'card' }, empty('No metric has these words. Try fewer.'))
        : groupMetrics(shown).map(({ group, metrics }) =>
            card({ title: group, meta: count(metrics.length) }, metrics.map(metricOf)),
          ),
    ),
  ]
}

function metricOf({ name, help, type, samples }: Metric): JSX.Element {
  const [first] = samples
  const only =
    samples.length === 1 && first ? count(first.value) : `${count(samples.length)} values`
  return h(
    'details',
    { class: 'metric', open: samples.length === 1 && first?.labels !== '' ? undefined : false },
    h(
      'summary',
      {},
      h('span', { class: 'mono' }, name),
      h('b', {}, only),
      h('span', { class: 'sub' }, `${help} (${type})`),
    ),
    h(
      'ul',
      {},
      samples
        .slice(0, samplesShownMax)
        .map(({ labels, value }) =>
          h('li', {}, h('span', { class: 'mono' }, labels || 'value'), h('b', {}, numberOf(value))),
        ),
    ),
  )
}

function numberOf(value: number): string {
  return Number.isInteger(value) ? count(value) : value.toPrecision(4)
}

start(MetricsPage)
