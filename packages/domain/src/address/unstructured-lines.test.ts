import { expect, test } from 'vitest'
import { makeUnstructuredLines } from './unstructured-lines.ts'

const long = 'x'.repeat(40)

test.each([
  [
    'lines keep their places',
    { line1: '1 High Street', line5: 'Bath', postcode: 'ba11aa' },
    { line1: '1 High Street', line5: 'Bath', postcode: 'BA1 1AA', dps: null },
  ],
  [
    'blank lines are left out',
    { line1: ' 1  High Street ', line2: '', line3: ' ', postcode: 'BA1 1AA' },
    { line1: '1 High Street', postcode: 'BA1 1AA', dps: null },
  ],
  [
    'a blank line 1 is filled by the first that is not',
    { line1: ' ', line3: '1 High Street', line5: 'Bath', postcode: 'BA1 1AA' },
    { line1: '1 High Street', line5: 'Bath', postcode: 'BA1 1AA', dps: null },
  ],
  [
    'the suffix goes with a full UK postcode',
    { line1: 'a', postcode: 'BA1 1AA', dps: '1A' },
    { line1: 'a', postcode: 'BA1 1AA', dps: '1A' },
  ],
  [
    'and with nothing else',
    { line1: 'a', postcode: '75001', dps: '1A' },
    { line1: 'a', postcode: '75001', dps: null },
  ],
  [
    'a spaced-out UK postcode of 10 characters is normalised to 8',
    { line1: 'a', postcode: 'EC1A  1B B' },
    { line1: 'a', postcode: 'EC1A 1BB', dps: null },
  ],
  [
    'a long last line in the place of the postcode becomes line 5',
    { line1: 'a', line2: 'b', postcode: 'Postcode o' },
    { line1: 'a', line2: 'b', line5: 'Postcode o', dps: null },
  ],
  [
    'or joins line 5',
    { line1: 'a', line5: 'Bath', postcode: 'Postcode o' },
    { line1: 'a', line5: 'Bath, Postcode o', dps: null },
  ],
  [
    'or closes up the lines when line 5 is too long',
    { line1: 'a', line3: 'c', line5: long, postcode: 'Postcode o' },
    { line1: 'a', line2: 'c', line3: long, line5: 'Postcode o', dps: null },
  ],
  [
    'or is cut to 8 when five lines are full',
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', line5: long, postcode: 'Postcode o' },
    {
      line1: 'a',
      line2: 'b',
      line3: 'c',
      line4: 'd',
      line5: long,
      postcode: 'Postcode',
      dps: null,
    },
  ],
  ['blanks only', { line1: ' ', postcode: ' ' }, { line1: '-', dps: null }],
])('%s', (_, address, lines) => {
  expect(makeUnstructuredLines(address)).toEqual(lines)
})
