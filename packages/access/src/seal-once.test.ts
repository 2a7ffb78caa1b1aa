import { expect, test } from 'vitest'
import { sealOnce } from './seal-once.ts'
import { sealedBox } from './sealed-box.ts'

const box = sealedBox('ab'.repeat(32))

test('seals a repeated text once', () => {
  const seal = sealOnce(box.seal)

  expect(seal('one')).toBe(seal('one'))
})

test('seals each text by itself', () => {
  const seal = sealOnce(box.seal)

  expect(['one', 'two', 'one'].map((text) => box.unseal(seal(text)))).toEqual(['one', 'two', 'one'])
})

test('does not keep the sealed value of a very long text', () => {
  const seal = sealOnce(box.seal)
  const text = 'x'.repeat(2_049)

  expect(seal(text)).not.toEqual(seal(text))
  expect(box.unseal(seal(text))).toBe(text)
})
