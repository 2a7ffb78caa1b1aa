import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashWith, keyedHash } from './keyed-hash.ts'

test('equal keys, purposes and texts have equal hashes, and any difference makes another hash', () => {
  const hashes = [
    keyedHash('ab'.repeat(32), 'user')('notify'),
    keyedHash('ab'.repeat(32), 'user')('Notify'),
    keyedHash('ab'.repeat(32), 'source')('notify'),
    keyedHash('cd'.repeat(32), 'user')('notify'),
  ].map((hash) => hash.toString('hex'))

  expect(new Set(hashes).size).toBe(4)
  expect(hashes.map(({ length }) => length)).toEqual([64, 64, 64, 64])
  expect(keyedHash('ab'.repeat(32), 'user')('notify').toString('hex')).toBe(hashes[0])
})

test('a hash is the HMAC-SHA-256 of its text, with keys of up to 64 bytes', () => {
  for (const keyBytes of [0, 1, 32, 63, 64].map((bytes) => randomBytes(bytes))) {
    for (const text of ['', 'name appleyard', 'Zoë 😀', 'a'.repeat(1_000)]) {
      expect(hashWith(keyBytes)(text)).toEqual(createHmac('sha256', keyBytes).update(text).digest())
    }
  }
  expect(() => hashWith(randomBytes(65))).toThrow('at most 64 bytes')
})
