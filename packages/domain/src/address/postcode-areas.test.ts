import { expect, test } from 'vitest'
import { isOverseasPostcode } from './postcode-areas.ts'

test.each([
  ['FIQQ 1ZZ', true],
  ['ascn1zz', true],
  ['AFIQQ 1ZZ', false],
  ['FIQQ 1ZZA', false],
  ['SW1A 1AA', false],
])('%s is the postcode of an overseas territory: %s', (text, is) => {
  expect(isOverseasPostcode(text)).toBe(is)
})
