import { createHmac, hkdfSync } from 'node:crypto'

/**
 * Makes a hash that nobody can compute or guess back without the deployment's secret key of 64 hexadecimal characters. One
 * purpose's hashes say nothing of another's.
 */
export function keyedHash(secretKeyHex: string, purpose: string): (text: string) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(secretKeyHex, 'hex'), '', purpose, 32))
  return (text) => createHmac('sha256', key).update(text).digest()
}
