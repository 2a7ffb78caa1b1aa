import { expect, test } from 'vitest'
import { createSealedBox } from './sealed-box.ts'

const key = 'a1'.repeat(32)
const otherKey = 'b2'.repeat(32)
const secret = Buffer.from('private key')

test('opens what it sealed, and never seals the same way twice', () => {
  const box = createSealedBox(key)

  const sealed = box.seal(secret, 'signing key')

  expect(box.unseal(sealed, 'signing key')).toEqual(secret)
  expect(sealed.includes(secret)).toBe(false)
  expect(box.seal(secret, 'signing key')).not.toEqual(sealed)
  expect(box.unseal(box.seal(Buffer.alloc(0), 'nothing'), 'nothing')).toEqual(Buffer.alloc(0))
})

test('opens what a previous key sealed, and seals with the current one', () => {
  const sealedBefore = createSealedBox(key).seal(secret, 'signing key')
  const box = createSealedBox(otherKey, [key])

  expect(box.unseal(sealedBefore, 'signing key')).toEqual(secret)
  expect(createSealedBox(otherKey).unseal(box.seal(secret, 'a'), 'a')).toEqual(secret)
})

test('refuses a value of another key, another purpose, altered in any byte, or cut off', () => {
  const box = createSealedBox(key)
  const sealed = box.seal(secret, 'signing key')

  expect(() => createSealedBox(otherKey).unseal(sealed, 'signing key')).toThrow(
    'another secret key',
  )
  expect(() => box.unseal(sealed, 'callback credential')).toThrow('cannot be unsealed')
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Buffer.from(sealed)
    altered.writeUInt8(altered.readUInt8(index) ^ 1, index)
    expect(() => box.unseal(altered, 'signing key')).toThrow('secret key')
    expect(() => box.unseal(sealed.subarray(0, index), 'signing key')).toThrow('secret key')
  }
})

test.for(['', 'a1', 'zz'.repeat(32)])('refuses %j as a key', (wrong) => {
  expect(() => createSealedBox(wrong)).toThrow('A secret key is 64 hexadecimal characters')
})
