import { expect, test } from 'vitest'
import { keyedHash } from './keyed-hash.ts'

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
