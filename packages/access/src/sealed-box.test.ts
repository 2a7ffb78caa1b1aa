import { expect, test } from 'vitest'
import { sealedBox } from './sealed-box.ts'

const key = 'a1'.repeat(32)
const otherKey = 'b2'.repeat(32)
const secret = 'Bearer é😀'

test('opens what it sealed, and never seals the same way twice', () => {
  const box = sealedBox(key)

  const sealed = box.seal(secret)

  expect(box.unseal(sealed)).toBe(secret)
  expect(box.unseal(new Uint8Array(sealedBox(key).seal(secret)))).toBe(secret)
  expect(sealed.includes('Bearer')).toBe(false)
  expect(box.seal(secret)).not.toEqual(sealed)
  expect(box.unseal(box.seal(''))).toBe('')
})

test('opens what a previous key sealed, and seals with the current one', () => {
  const box = sealedBox(otherKey, { previousKeysHex: [key] })

  expect(box.unseal(sealedBox(key).seal(secret))).toBe(secret)
  expect(sealedBox(otherKey).unseal(box.seal(secret))).toBe(secret)
})

test('identifies its key by the first byte of the sealed value', () => {
  const box = sealedBox(key, { previousKeysHex: [otherKey] })

  expect(box.seal(secret)[0]).toBe(box.keyId)
  expect(sealedBox(otherKey).keyId).not.toBe(box.keyId)
})

test('refuses a value of another key, another purpose, altered in any byte, or cut off', () => {
  const box = sealedBox(key, { purpose: 'signing key' })
  const sealed = box.seal(secret)

  const other = sealedBox(otherKey, { purpose: 'signing key' })
  expect(() => other.unseal(sealed)).toThrow('The signing key was sealed with another secret key')
  expect(() => sealedBox(key).unseal(sealed)).toThrow('The credential cannot be unsealed')
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Buffer.from(sealed)
    altered.writeUInt8(altered.readUInt8(index) ^ 1, index)
    expect(() => box.unseal(altered)).toThrow('secret key')
    expect(() => box.unseal(sealed.subarray(0, index))).toThrow('secret key')
  }
})

test.for(['', 'a1', 'zz'.repeat(32)])('refuses %j as a key', (wrong) => {
  expect(() => sealedBox(wrong)).toThrow('A secret key is 64 hexadecimal characters')
})

test('refuses to take the same key twice', () => {
  expect(() => sealedBox(key, { previousKeysHex: [key] })).toThrow('the same id')
})
