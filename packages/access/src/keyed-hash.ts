import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'

/**
 * Makes a hash that nobody can compute or guess back without the deployment's secret key of 64 hexadecimal characters. One
 * purpose's hashes say nothing of another's.
 */
export function keyedHash(secretKeyHex: string, purpose: string): (text: string) => Buffer {
  const bytes = hkdfSync('sha256', Buffer.from(secretKeyHex, 'hex'), '', purpose, 32)
  // made once: of plain bytes every hash makes a key anew, which takes five times as long as the hash
  const key = createSecretKey(Buffer.from(bytes))
  return (text) => createHmac('sha256', key).update(text).digest()
}
