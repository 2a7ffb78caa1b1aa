import type { Db } from '@despatch/store/database'
import { listTraceContexts, type TracedBy } from '@despatch/store/print-job/trace-contexts'
import type { GatherOutcome } from '@despatch/store/print-run/gather'
import { continueTraces, tracesContinuedMax } from '@despatch/telemetry/continue-traces'
import type { TraceSpan, Tracing } from '@despatch/telemetry/tracing'

export type TracePrintRuns = { db: Db; tracing: Tracing; onError: (error: Error) => void }

type TracedPass = Partial<Pick<GatherOutcome, 'gathered' | 'gatheredFirst'>> & {
  /** Batch numbers. */
  released?: string[]
}

/**
 * Creates a span for a pass that gathered letters or released runs, and continues it in the traces of its first
 * letters. A pass that found nothing leaves no span. A failure to trace does not fail the pass.
 */
export async function tracePrintRuns(
  { db, tracing, onError }: TracePrintRuns,
  { gathered = 0, gatheredFirst = [], released = [] }: TracedPass,
  startedAt: Date,
): Promise<void> {
  if (gathered === 0 && released.length === 0) return
  const pass = tracing.startSpan(released.length > 0 ? 'print-runs.release' : 'print-runs.build', {
    parent: null,
    startedAt,
    facts: { 'despatch.letters': gathered, 'despatch.print_runs.released': released.length },
  })
  const into = async (name: string, by: TracedBy) => {
    const letters = await listTraceContexts(db, by, tracesContinuedMax).catch((error) => {
      onError(error)
      return []
    })
    enter(tracing, pass, name, letters)
  }
  if (gathered > 0) await into('print-run.gather', { keys: gatheredFirst })
  if (released.length > 0) await into('print-run.release', { batchNumbers: released })
  pass.end()
}

function enter(
  tracing: Tracing,
  pass: TraceSpan,
  name: string,
  letters: Awaited<ReturnType<typeof listTraceContexts>>,
): void {
  const continued = letters.map(({ key, traceContext }) => ({
    traceContext,
    facts: { 'despatch.print_job.key': key },
  }))
  continueTraces(tracing, pass, name, continued)
}
