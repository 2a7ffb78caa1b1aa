import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

// Printable ASCII: it is repeated in a response header and in the log.
const usable = /^[\x20-\x7e]{1,255}$/

/** The caller's X-Correlation-ID when it can be repeated (up to 255 printable characters), otherwise a UUID. */
export function correlationIdOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers['x-correlation-id']
  return typeof given === 'string' && usable.test(given) ? given : randomUUID()
}
