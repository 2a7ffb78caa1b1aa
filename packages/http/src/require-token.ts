import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '@despatch/domain/problem'

export type RequireToken = (
  request: { headers: IncomingHttpHeaders },
  reply: unknown,
  done: () => void,
) => void

/** Returns the hook that refuses a request without `Authorization: Bearer <token>`, before its body is read. */
export function requireToken(token: string): RequireToken {
  const expected = digest(`Bearer ${token}`)
  return ({ headers }, _reply, done) => {
    const given = digest(headers.authorization ?? '')
    if (timingSafeEqual(given, expected)) return done()
    throw new Problem('not-authenticated', 'The token is not provided or wrong')
  }
}

// Digests have equal length for any input.
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
