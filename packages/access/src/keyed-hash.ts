import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'

type Hasher = (text: string) => Buffer

/**
 * Returns a hash function that requires a key of 64 hexadecimal characters. Without the key nobody can compute a hash
 * or guess its input. Hashes of one purpose reveal nothing about those of another.
 */
export function keyedHash(secretKeyHex: string, purpose: string): Hasher {
  return hashWith(
    Buffer.from(hkdfSync('sha256', Buffer.from(secretKeyHex, 'hex'), '', purpose, 32)),
  )
}

/** Returns the hash function of a key that has only one purpose. */
export function hashWith(keyBytes: Uint8Array): Hasher {
  // The key object is created once. Given plain bytes, every hash would create it again, which takes five times as long
  // as the hash.
  const key = createSecretKey(keyBytes)
  return (text) => createHmac('sha256', key).update(text).digest()
}
