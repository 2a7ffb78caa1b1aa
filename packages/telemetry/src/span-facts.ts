/**
 * Everything that a span may tell: ids that we made, statuses and counts. Whatever a consumer or a provider typed has no
 * name here, so that it cannot be told.
 */
export type SpanFacts = Readonly<Partial<Record<SpanFact, string | number | boolean | undefined>>>

export type SpanFact =
  | 'http.request.method'
  /** The pattern of the route, never the address that was asked for. */
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
