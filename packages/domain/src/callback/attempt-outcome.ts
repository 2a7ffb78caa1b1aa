/** The outcome of one attempt, as stored and shown. */
export const attemptOutcomes = [
  /** 2xx. */
  'delivered',
  /** A status other than 2xx, 3xx and 410. */
  'refused',
  /** 3xx: never followed. */
  'redirect',
  /** 410. */
  'gone',
  /** No answer in time. Without a connection in time, nothing was sent. */
  'timeout',
  'dns_error',
  'connection_refused',
  /** No connection for another reason. */
  'connection_failed',
  'tls_error',
  /** Calls to every address of the name are forbidden. */
  'blocked_address',
  /** The target or its credentials can never be sent. */
  'unsendable',
  /** The connection broke after the request was sent: it may have arrived. */
  'unknown',
  /** Our process died before it recorded the outcome: the message may have arrived. */
  'interrupted',
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

/** Returns the outcome of an attempt that was answered. */
export function outcomeOfStatus(httpStatus: number): AttemptOutcome {
  if (httpStatus >= 200 && httpStatus < 300) return 'delivered'
  if (httpStatus >= 300 && httpStatus < 400) return 'redirect'
  return httpStatus === 410 ? 'gone' : 'refused'
}
