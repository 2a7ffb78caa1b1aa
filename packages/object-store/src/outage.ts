import { S3ServiceException } from '@aws-sdk/client-s3'
import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'

/**
 * Returns the error that a call rejects with: DependencyUnavailable if the store is the cause, otherwise the error
 * itself.
 */
export function asOutage(error: unknown): unknown {
  return isOutage(error) ? new DependencyUnavailable('object-store', { cause: error }) : error
}

/**
 * Returns true if the store answers that the object does not exist. A HEAD has no body, so it looks the same for a
 * missing bucket.
 */
export function isAbsent(error: unknown): boolean {
  return error instanceof S3ServiceException && absences.has(error.name)
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
}

const absences: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound'])
/** S3 answers 400 for these errors, although the request itself is valid. */
const outagesAnswered400: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
])

/**
 * Outages, because any other request would fail too: a refused or broken connection, a timeout, a 5xx, throttling (429,
 * SlowDown), missing or refused credentials (401, 403), a redirect (3xx) and a missing bucket. Other 4xx concern the
 * request.
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { name, cause } = error
  if (name === 'TimeoutError' || name === 'CredentialsProviderError') return true
  if (name === 'AbortError') return cause instanceof Error && cause.name === 'TimeoutError'
  if (error instanceof S3ServiceException) {
    const status = statusOf(error) ?? 500
    if (status === 404) return !isAbsent(error)
    const isOfRequest = status >= 400 && status < 500 && !outageStatuses.has(status)
    return !isOfRequest || outagesAnswered400.has(name)
  }
  // The code of the socket, or a response that is not from S3, such as a gateway's error page.
  const { code, $response } = error as { code?: unknown; $response?: unknown }
  return typeof code === 'string' || $response !== undefined
}

const outageStatuses: ReadonlySet<number> = new Set([401, 403, 408, 429])
