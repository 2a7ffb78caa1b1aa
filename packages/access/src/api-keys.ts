import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const apiKeyBytes = 32
const prefixCharacters = 8

/** Returns a new API key: 256 random bits as 43 characters that need no quoting anywhere. */
export function generateApiKey(): string {
  return randomBytes(apiKeyBytes).toString('base64url')
}

/**
 * Returns the hash of a key that is stored in its place. A fast hash is enough, because nobody can guess 256 random
 * bits.
 */
export function hashApiKey(apiKey: string): Buffer {
  return hash('sha256', apiKey, 'buffer')
}

/** Returns the first characters of a key. Staff may see them, to distinguish one key from another. */
export function apiKeyPrefix(apiKey: string): string {
  return apiKey.slice(0, prefixCharacters)
}

/** Compares two keys, or two hashes of keys, in constant time. */
export function isSameApiKey(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
