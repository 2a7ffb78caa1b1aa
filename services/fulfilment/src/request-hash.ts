import { createHash } from 'node:crypto'

/** Tells a repeat from another request under the same key. Members are in the order of the schema that read them. */
export function hashRequest(request: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(request)).digest()
}
