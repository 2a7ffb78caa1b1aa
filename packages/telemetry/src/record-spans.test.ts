import { aKeptLog } from '@despatch/testing/a-kept-log'
import { expect, test } from 'vitest'
import { continueTraces, tracesContinuedMax } from './continue-traces.ts'
import { recordSpans, type SpanRecording } from './record-spans.ts'
import { parseTraceparent } from './traceparent.ts'
import { noTracing } from './tracing.ts'

type Ended = Parameters<SpanRecording['processor']['onEnd']>[0]

const given = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const notRecorded = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'

function aRecording() {
  const ended: Ended[] = []
  const tracing = recordSpans({
    service: 'intake',
    processor: {
      onStart: () => {},
      onEnd: (span) => void ended.push(span),
      forceFlush: async () => {},
      shutdown: async () => {},
    },
  })
  return { tracing, ended }
}

test('continues the trace of a traceparent, with only allowed attributes', () => {
  const { tracing, ended } = aRecording()

  const span = tracing.startSpan('stage.validate', {
    kind: 'consumer',
    parent: given,
    facts: { 'despatch.print_job.key': 'k1' },
  })
  span.note({ 'despatch.outcome': 'retry' })
  span.end('retry')

  expect(ended).toHaveLength(1)
  const [{ attributes, status, parentSpanContext, resource }] = ended as [Ended]
  expect(parentSpanContext).toMatchObject({ spanId: '00f067aa0ba902b7' })
  expect(span.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  expect(parseTraceparent(span.traceparent)).toMatchObject({
    traceId: span.traceId,
    isSampled: true,
  })
  expect(attributes).toEqual({
    'despatch.print_job.key': 'k1',
    'despatch.outcome': 'retry',
    'error.type': 'retry',
  })
  expect(status).toEqual({ code: 2 })
  expect(resource.attributes).toMatchObject({
    'service.name': 'intake',
    'service.namespace': 'despatch',
  })
})

test.each([[null], [undefined], ['no traceparent']])(
  'starts a trace when the parent is %s',
  (parent) => {
    const { tracing, ended } = aRecording()

    tracing.startSpan('outer').run(() => tracing.startSpan('one', { parent }).end())

    expect(ended[0]?.parentSpanContext).toBeUndefined()
  },
)

test('a span continues the enclosing span, also after an await', async () => {
  const { tracing, ended } = aRecording()

  const outer = tracing.startSpan('outer')
  await outer.run(async () => {
    await new Promise(setImmediate)
    tracing.startSpan('inner').end()
  })

  expect(ended[0]?.parentSpanContext?.spanId).toBe(parseTraceparent(outer.traceparent)?.spanId)
})

test('records no span of an unrecorded trace, but passes the trace on', () => {
  const { tracing, ended } = aRecording()

  const span = tracing.startSpan('one', { parent: notRecorded })
  span.end()

  expect(ended).toEqual([])
  expect(span.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/)
})

test('a log line within a span names its trace, and no other line does', async () => {
  const { tracing } = aRecording()
  const { log, lines } = aKeptLog('intake')
  const span = tracing.startSpan('outer')

  await span.run(async () => {
    await new Promise(setImmediate)
    log.child({ correlationId: 'c1' }).info({ outcome: 'advance' }, 'stage.run')
  })
  log.info('stage.run')

  const [within, after] = lines.map((line) => JSON.parse(line))
  expect(within).toMatchObject({
    traceId: span.traceId,
    outcome: 'advance',
    correlationId: 'c1',
  })
  expect(after).not.toHaveProperty('traceId')
})

test('a call about many print jobs is linked with the traces of the first ones, in both directions', () => {
  const { tracing, ended } = aRecording()
  const many = Array.from({ length: 100_000 }, (_, index) => ({
    traceContext: `00-${(index + 1).toString(16).padStart(32, '0')}-00f067aa0ba902b7-01`,
    facts: { 'despatch.print_job.key': `k${index}` },
  }))

  const call = tracing.startSpan('POST claim', { startedAt: new Date('2026-03-02T10:00:00Z') })
  continueTraces(tracing, call, 'print-run.claim', many)
  call.end()

  expect(ended).toHaveLength(tracesContinuedMax + 1)
  const [first] = ended as [Ended]
  expect(first).toMatchObject({
    name: 'print-run.claim',
    attributes: { 'despatch.print_job.key': 'k0' },
    startTime: [Date.UTC(2026, 2, 2, 10) / 1000, 0],
  })
  expect(first.spanContext().traceId).toBe(`${'0'.repeat(31)}1`)
  expect(first.links.map(({ context }) => context.traceId)).toEqual([call.traceId])
  expect(ended.at(-1)?.links).toHaveLength(tracesContinuedMax)
  expect(ended.at(-1)?.droppedLinksCount).toBe(0)
})

test('without tracing nothing is recorded', () => {
  const { tracing, ended } = aRecording()
  const span = noTracing.startSpan('one', { parent: given })

  continueTraces(tracing, span, 'print-run.claim', [{ traceContext: given, facts: {} }])

  expect([span.traceparent, span.run(() => 'done'), ended]).toEqual([undefined, 'done', []])
})
