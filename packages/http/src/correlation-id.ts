import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

// Printable ASCII, because the value is repeated in a response header and in the log.
const usable = /^[\x20-\x7e]{1,255}$/

/**
 * Returns the caller's X-Correlation-ID if it can be repeated (1 to 255 printable ASCII characters), otherwise a new
 * UUID.
 */
export function correlationIdOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers['x-correlation-id']
  return typeof given === 'string' && usable.test(given) ? given : randomUUID()
}
