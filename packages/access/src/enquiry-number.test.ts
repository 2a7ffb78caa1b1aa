import { expect, test } from 'vitest'
import { numberHasher } from './enquiry-number.ts'
import { keyedHash } from './keyed-hash.ts'

const secretKeyHex = 'ab'.repeat(32)

test('equal numbers have equal hashes, and another number, key or purpose has another hash', () => {
  const hash = numberHasher(secretKeyHex)
  const hashes = [
    hash('AA19AAA'),
    hash('AA19AAB'),
    numberHasher('cd'.repeat(32))('AA19AAA'),
    keyedHash(secretKeyHex, 'sign-in user name')('AA19AAA'),
  ].map((each) => each.toString('hex'))

  expect(new Set(hashes).size).toBe(4)
  expect(hash('AA19AAA')).toEqual(Buffer.from(hashes[0]!, 'hex'))
  expect(hashes.map(({ length }) => length)).toEqual([64, 64, 64, 64])
})
