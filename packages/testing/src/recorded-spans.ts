import { recordSpans } from '@despatch/telemetry/record-spans'
import type { Tracing } from '@despatch/telemetry/tracing'

type Ended = Parameters<Parameters<typeof recordSpans>[0]['processor']['onEnd']>[0]

type RecordedSpan = {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  links: string[]
  facts: Record<string, unknown>
}

/** Returns tracing that records ended spans, in the order in which they ended. */
export function recordedSpans(): { tracing: Tracing; spans: RecordedSpan[]; everything(): string } {
  const ended: Ended[] = []
  const spans: RecordedSpan[] = []
  const tracing = recordSpans({
    service: 'test',
    processor: {
      onStart: () => {},
      onEnd: (span) => {
        ended.push(span)
        spans.push(recorded(span))
      },
      forceFlush: async () => {},
      shutdown: async () => {},
    },
  })
  const everything = () =>
    JSON.stringify(
      ended.map(({ name, attributes, events, status, links }) => [
        name,
        attributes,
        events,
        status,
        links,
      ]),
    )
  return { tracing, spans, everything }
}

function recorded(span: Ended): RecordedSpan {
  const { traceId, spanId } = span.spanContext()
  return {
    name: span.name,
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    links: span.links.map(({ context }) => context.spanId),
    facts: { ...span.attributes },
  }
}
