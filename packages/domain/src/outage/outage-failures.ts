/**
 * Classes of faults, from `classOfFault`, that report an outage and not a fault with one letter. Each entry is a regular expression that JavaScript and
 * PostgreSQL interpret alike. Faults of class `Error` are not included: their class says nothing.
 */
const outageFailures = [
  // what an adapter reports for an outage whose cause it did not see
  'DependencyUnavailable',
  // sockets
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // PostgreSQL: connection, resources, I/O, shutdown, idle in transaction, read only
  '08[0-9A-Z]{3}',
  '53[0-9A-Z]{3}',
  '58[0-9A-Z]{3}',
  '57P0[1-5]',
  '25P03',
  '25006',
  // PostgreSQL is too busy: statement timeout, lock timeout, serialization failure, deadlock
  '57014',
  '55P03',
  '40001',
  '40P01',
  // the object store: no answer in time, 5xx by name or status, and a missing bucket
  'TimeoutError',
  'NetworkingError',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'SlowDown',
  'InternalError',
  'InternalServerError',
  'InternalServerException',
  'ThrottlingException',
  'UnknownError',
  '5[0-9]{2}',
  'NoSuchBucket',
] as const

/** Matches the complete name of a class that reports an outage, in JavaScript and in PostgreSQL. */
export const outageFailurePattern = `^(${outageFailures.join('|')})$`

const pattern = new RegExp(outageFailurePattern)

/** Whether a letter whose step failed with this class was parked because of an outage. */
export function isOutageFailure(failure: string | null): boolean {
  return pattern.test(failure ?? '')
}
