import type { Db } from '@despatch/store/database'
import { listTraceContexts, type TracedBy } from '@despatch/store/print-job/trace-contexts'
import { continueTraces, tracesContinuedMax } from '@despatch/telemetry/continue-traces'
import type { Logger } from '@despatch/telemetry/logger'
import type { SpanFacts } from '@despatch/telemetry/span-facts'
import type { TraceSpan, Tracing } from '@despatch/telemetry/tracing'

export type LetterTraces = { db: Db; tracing: Tracing }

type TracedCall = {
  /** The name of the spans in the traces of the letters. */
  name: string
  letters: Exclude<TracedBy, { keys: readonly string[] }>
  facts: SpanFacts
}

/**
 * Adds a span for a provider's completed call to the traces of the letters that it concerns, at most
 * `tracesContinuedMax` of them. A failure is logged and does not fail the call.
 */
export async function traceLetters(
  { db, tracing }: LetterTraces,
  { span, log }: { span: TraceSpan | null; log: Pick<Logger, 'warn'> },
  { name, letters, facts }: TracedCall,
): Promise<void> {
  if (!span) return
  span.note(facts)
  const found = await listTraceContexts(db, letters, tracesContinuedMax).catch((error) => {
    log.warn({ err: error }, 'traces.not-continued')
    return []
  })
  const continued = found.map(({ key, traceContext }) => ({
    traceContext,
    facts: { ...facts, 'despatch.print_job.key': key },
  }))
  continueTraces(tracing, span, name, continued)
}
