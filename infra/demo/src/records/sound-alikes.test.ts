import { expect, test } from 'vitest'
import { misspell } from './sound-alikes.ts'

test.each([
  ['Smith', 'Smyth'],
  ['Bennett', 'Bennet'],
  ['Collins', 'Colins'],
  ['Ford', undefined],
  ['Lloyd', undefined],
])('%s is heard and written as %s', (lastName, misspelt) => {
  expect(misspell(lastName)).toBe(misspelt)
})
