import { hash, hkdfSync } from 'node:crypto'

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

const blockBytes = 64

/**
 * Returns the hash function of a key that has only one purpose: HMAC-SHA-256 (RFC 2104). The key has at most 64 bytes.
 * It is made of two plain hashes: to create and collect an Hmac object takes four times as long, and a submission has
 * many.
 */
export function hashWith(keyBytes: Uint8Array): Hasher {
  if (keyBytes.length > blockBytes) throw new RangeError('The key of a hash has at most 64 bytes')
  const padded = (pad: number) =>
    Uint8Array.from({ length: blockBytes }, (_, at) => pad ^ (keyBytes[at] ?? 0))
  const inner = padded(0x36)
  const outer = padded(0x5c)
  return (text) => sha256(outer, sha256(inner, Buffer.from(text)))
}

function sha256(...parts: Uint8Array[]): Buffer {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}
