/**
 * All attributes that a span may have: ids that we made, statuses and counts. There is no name for data from a consumer
 * or provider, so it cannot be recorded.
 */
export type SpanFacts = Readonly<Partial<Record<SpanFact, string | number | boolean | undefined>>>

type SpanFact =
  | 'http.request.method'
  /** The pattern of the route, never the requested address. */
  | 'http.route'
  | 'http.response.status_code'
  | 'messaging.destination.name'
  | 'despatch.consumer.id'
  | 'despatch.print_job.key'
  | 'despatch.print_run.batch_number'
  | 'despatch.posting.id'
  | 'despatch.callback.id'
  | 'despatch.callback.sequence'
  | 'despatch.callback.attempt'
  | 'despatch.step.starts'
  | 'despatch.outcome'
  | 'despatch.next'
  | 'despatch.letters'
  | 'despatch.print_runs.released'
