import { isUtf8 } from 'node:buffer'
import { Problem } from '@despatch/domain/problem'

/**
 * Parses a JSON body. Returns undefined for an empty body, so that a client may send Content-Type with no body. Throws
 * a Problem 'unreadable-body' that repeats nothing of the body.
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw new Problem('unreadable-body', 'The request body must be UTF-8')
  const text = body.toString('utf8')
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch {
    throw new Problem('unreadable-body', 'The request body must be JSON')
  }
}
