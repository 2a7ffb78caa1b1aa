import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const apiKeyBytes = 32
const prefixCharacters = 8

/** A fresh API key: 256 random bits as 43 characters that need no quoting anywhere. */
export function generateApiKey(): string {
  return randomBytes(apiKeyBytes).toString('base64url')
}

/** What is kept of a key. A fast hash is enough, since nobody can guess 256 random bits. */
export function hashApiKey(apiKey: string): Buffer {
  return hash('sha256', apiKey, 'buffer')
}

/** The part that staff may see, to tell one key from another. */
export function apiKeyPrefix(apiKey: string): string {
  return apiKey.slice(0, prefixCharacters)
}

/** Compares two keys, or two hashes of keys, in a time that tells nothing of where they differ. */
export function isSameApiKey(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
