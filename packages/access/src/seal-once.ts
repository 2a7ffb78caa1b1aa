import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const textsMax = 1_000
/** Bounds the memory, because a text may be as long as a request. */
const charactersMax = 2_048

/**
 * Returns a function that seals a text only once while it is repeated. Sealing takes about ten times as long as finding
 * the sealed value. Only hashes of the texts are kept. Equal sealed values reveal that their texts are equal.
 */
export function sealOnce(seal: (text: string) => Buffer): (text: string) => Buffer {
  const known = new LRUCache<string, Buffer>({ max: textsMax })
  return (text) => {
    if (text.length > charactersMax) return seal(text)
    const key = hash('sha256', text, 'base64')
    const found = known.get(key)
    if (found) return found
    const sealed = seal(text)
    known.set(key, sealed)
    return sealed
  }
}
