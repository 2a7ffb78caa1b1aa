import type { Db } from '@despatch/store/database'
import { findTraceContexts, type TracedBy } from '@despatch/store/print-job/trace-contexts'
import { continueTraces, tracesContinuedMax } from '@despatch/telemetry/continue-traces'
import type { Logger } from '@despatch/telemetry/logger'
import type { SpanFacts } from '@despatch/telemetry/span-facts'
import type { TraceSpan, Tracing } from '@despatch/telemetry/tracing'

export type LetterTraces = { db: Db; tracing: Tracing }

export type TracedCall = {
  /** As the spans in the traces of the letters are called. */
  name: string
  letters: Exclude<TracedBy, { keys: readonly string[] }>
  facts: SpanFacts
}

/**
 * Puts a call of a provider, which has been done, into the traces of the letters that it was about: of the first of them.
 * What cannot be traced fails no call.
 */
export async function traceLetters(
  { db, tracing }: LetterTraces,
  { span, log }: { span: TraceSpan | null; log: Pick<Logger, 'warn'> },
  { name, letters, facts }: TracedCall,
): Promise<void> {
  if (!span) return
  span.note(facts)
  const found = await findTraceContexts(db, letters, tracesContinuedMax).catch((error) => {
    log.warn({ err: error }, 'traces.not-continued')
    return []
  })
  const continued = found.map(({ key, traceContext }) => ({
    traceContext,
    facts: { ...facts, 'despatch.print_job.key': key },
  }))
  continueTraces(tracing, span, name, continued)
}
