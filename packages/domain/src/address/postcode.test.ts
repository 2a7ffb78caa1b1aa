import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalisePostcode } from './postcode.ts'

test.each([
  ['M1 1AA', 'M1 1AA'],
  ['m60 1nw', 'M60 1NW'],
  ['W1A1AA', 'W1A 1AA'],
  ['CR2 6XH', 'CR2 6XH'],
  ['dn551pt', 'DN55 1PT'],
  ['EC1A 1BB', 'EC1A 1BB'],
  ['gir 0aa', 'GIR 0AA'],
  ['BF1 3AA', 'BF1 3AA'],
  ['je2 3ab', 'JE2 3AB'],
  [' S W 1\u{A0}A 2\tA A ', 'SW1A 2AA'],
  [`SW1A${' '.repeat(33)}2AA`, 'SW1A 2AA'],
])('%j is a UK postcode: %j', (text, normal) => {
  expect(normalisePostcode(text)).toBe(normal)
})

test.each([
  '',
  `SW1A${' '.repeat(34)}2AA`,
  'SW1A',
  'SW1A 2A',
  'SW1A 22A',
  'SW1AA 2AA',
  'AI1 1AA',
  'AZ1 1AA',
  '1AA 1AA',
  'Postcode o',
  '75001',
  'SW1A 2AA.',
  'ſW1A 2AA\u{10FFFF}',
  `SW1A${' '.repeat(1_000_000)}2AA`,
])('%.20j is not a UK postcode', (text) => {
  expect(normalisePostcode(text)).toBeUndefined()
})

test('a normalised postcode is unchanged by normalisation and has at most 8 characters', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Za-z]{1,2} ?[0-9][0-9A-Za-z]? ?[0-9][A-Za-z]{2}$/),
      (text) => {
        const normal = normalisePostcode(text)
        if (normal === undefined) return
        expect(normal.length).toBeLessThanOrEqual(8)
        expect(normalisePostcode(normal)).toBe(normal)
      },
    ),
  )
})
