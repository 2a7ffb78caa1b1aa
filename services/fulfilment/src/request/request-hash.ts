import { hash } from 'node:crypto'

/**
 * Returns a hash that distinguishes a repeat from another request under the same key. The members of `request` are in
 * the order of the schema that parsed it.
 */
export function hashRequest(request: unknown): Buffer {
  return hash('sha256', JSON.stringify(request), 'buffer')
}
