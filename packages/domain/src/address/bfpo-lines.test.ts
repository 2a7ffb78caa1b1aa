import { expect, test } from 'vitest'
import { isBfpo, makeBfpoLines, repeatsBfpo } from './bfpo-lines.ts'

const soldier = '12345678 Cpl A Other'

test.each([
  [
    'BFPO and number are line 5, the lines above close up',
    { line1: 'B Company', line2: null, line3: '', line4: 'Camp Bastion', bfpoNumber: 58 },
    { line1: 'B Company', line2: 'Camp Bastion', line5: 'BFPO 58', dps: null },
  ],
  [
    'four lines and the BFPO line',
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', bfpoNumber: 9999, postcode: 'bf13aa' },
    {
      line1: 'a',
      line2: 'b',
      line3: 'c',
      line4: 'd',
      line5: 'BFPO 9999',
      postcode: 'BF1 3AA',
      dps: null,
    },
  ],
  [
    'a line 1 that repeats the recipient is printed once',
    { line1: '12345678  CPL A OTHER', line2: '1 Rifles', bfpoNumber: 1 },
    { line1: '1 Rifles', line5: 'BFPO 1', dps: null },
  ],
  [
    'and leaves the BFPO line alone',
    { line1: soldier, bfpoNumber: 1 },
    { line1: 'BFPO 1', dps: null },
  ],
  [
    'a line that repeats the BFPO number is printed once',
    { line1: '1 Rifles', line2: 'bfpo58', line3: 'BFPO 5', bfpoNumber: 58 },
    { line1: '1 Rifles', line2: 'BFPO 5', line5: 'BFPO 58', dps: null },
  ],
  [
    'also in the older form, and as BFPO without a number',
    { line1: '1 Rifles', line2: 'BFPO c/o 58', line3: 'BFPO', line4: 'bfpo C/O 5', bfpoNumber: 58 },
    { line1: '1 Rifles', line2: 'bfpo C/O 5', line5: 'BFPO 58', dps: null },
  ],
  [
    'a country is never printed',
    { line1: '1 Rifles', bfpoNumber: 58, country: 'Germany', language: 'de' },
    { line1: '1 Rifles', line5: 'BFPO 58', dps: null },
  ],
  [
    'a postcode of 9 or 10 characters that is not of the UK is left out',
    { line1: '1 Rifles', bfpoNumber: 58, postcode: 'Postcode o' },
    { line1: '1 Rifles', line5: 'BFPO 58', dps: null },
  ],
])('%s', (_, address, lines) => {
  expect(makeBfpoLines(address, soldier)).toEqual(lines)
})

test('a line 1 that is the long recipient cut to 45 characters is printed once', () => {
  const recipientName = `12345678 Cpl ${'x'.repeat(60)}`
  expect(
    makeBfpoLines(
      { line1: recipientName.slice(0, 45), line2: '1 Rifles', bfpoNumber: 2 },
      recipientName,
    ),
  ).toEqual({ line1: '1 Rifles', line5: 'BFPO 2', dps: null })
})

test.each([
  ['BFPO 58', true],
  ['bfpo58', true],
  ['BFPO CO 58', true],
  ['BFPO c/o', true],
  ['BFPO 0058', true],
  ['HQ BFPO 58', false],
  ['BFPO 58 Camp', false],
  ['BFPO 580', false],
  ['Camp Bastion', false],
])('%s repeats BFPO 58: %s', (line, repeats) => {
  expect(repeatsBfpo(line, 58)).toBe(repeats)
})

test.each([
  ['BFPO 5', true],
  ['BFPO9999', true],
  ['BFPO 10000', false],
  ['BFPO', false],
  ['HQ BFPO 5', false],
  ['BFPO 5 Camp', false],
  [undefined, false],
])('%s is the line of the forces: %s', (line, is) => {
  expect(isBfpo(line)).toBe(is)
})
