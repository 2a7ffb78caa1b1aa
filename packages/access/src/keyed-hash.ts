import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'

/**
 * Returns a hash function that requires the deployment's secret key of 64 hexadecimal characters. Without the key
 * nobody can compute a hash or guess its input. Hashes of one purpose reveal nothing about those of another.
 */
export function keyedHash(secretKeyHex: string, purpose: string): (text: string) => Buffer {
  const bytes = hkdfSync('sha256', Buffer.from(secretKeyHex, 'hex'), '', purpose, 32)
  // The key object is created once. Given plain bytes, every hash would create it again, which takes five times as long
  // as the hash.
  const key = createSecretKey(Buffer.from(bytes))
  return (text) => createHmac('sha256', key).update(text).digest()
}
