import { S3ServiceException } from '@aws-sdk/client-s3'
import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'

/** The error that a call rejects with: DependencyUnavailable when the store is at fault, or else the error itself. */
export function asOutage(error: unknown): unknown {
  return isOutage(error) ? new DependencyUnavailable('object-store', { cause: error }) : error
}

/** True when the store answers that there is no such object. A HEAD has no body and cannot tell a missing bucket apart. */
export function isAbsent(error: unknown): boolean {
  return error instanceof S3ServiceException && absences.has(error.name)
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
}

const absences: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound'])
/** S3 answers 400 to these, which say nothing of the request. */
const outagesAnswered400: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
])

/**
 * A refused or broken connection, a timeout, a 5xx, throttling (429, SlowDown), refused credentials (401, 403), another
 * address (3xx) and a missing bucket are outages: no other request would fare better. Other 4xx are about the request.
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { name, cause } = error
  if (name === 'TimeoutError') return true
  if (name === 'AbortError') return cause instanceof Error && cause.name === 'TimeoutError'
  if (error instanceof S3ServiceException) {
    const status = statusOf(error) ?? 500
    if (status === 404) return !isAbsent(error)
    const isOfRequest = status >= 400 && status < 500 && !outageStatuses.has(status)
    return !isOfRequest || outagesAnswered400.has(name)
  }
  // The socket's code, or an answer that is not S3's, such as the page of a gateway.
  const { code, $response } = error as { code?: unknown; $response?: unknown }
  return typeof code === 'string' || $response !== undefined
}

const outageStatuses: ReadonlySet<number> = new Set([401, 403, 408, 429])
