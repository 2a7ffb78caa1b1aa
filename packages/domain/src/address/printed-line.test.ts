import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutLine, holdsAtMost, tidyLine } from './printed-line.ts'

const astral = '😀'

describe('a line is cut to 45 characters', () => {
  test.each([
    ['45 characters stay', 'x'.repeat(45), 'x'.repeat(45)],
    ['one word is cut hard', 'x'.repeat(46), 'x'.repeat(45)],
    ['after the last word that fits', `${'x'.repeat(30)} ${'y'.repeat(20)}`, 'x'.repeat(30)],
    ['a word of exactly 45 stays whole', `${'x'.repeat(45)} y`, 'x'.repeat(45)],
    ['a blank at 45 ends the line', `${'x'.repeat(44)} y`, 'x'.repeat(44)],
    ['blanks before a cut are left out', `${'x'.repeat(30)}  ${'y'.repeat(20)}`, 'x'.repeat(30)],
    ['a number keeps its long street', `12 ${'x'.repeat(50)}`, `12 ${'x'.repeat(42)}`],
    ['astral characters count once', astral.repeat(46), astral.repeat(45)],
  ])('%s', (_, line, cut) => {
    expect(cutLine(line)).toBe(cut)
  })

  test('with any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const cut = cutLine(text)
        expect([...cut].length).toBeLessThanOrEqual(45)
        expect(text.startsWith(cut)).toBe(true)
      }),
    )
  })
})

test.each([
  ['', undefined],
  [' \u{A0}\n', undefined],
  [null, undefined],
  [undefined, undefined],
  ['  12\t High \u{A0} Street\r\n', '12 High Street'],
])('white space becomes single blanks: %j', (text, tidy) => {
  expect(tidyLine(text)).toBe(tidy)
})

test.each([
  ['', 0, true],
  [astral.repeat(8), 8, true],
  [astral.repeat(9), 8, false],
  ['x'.repeat(9), 8, false],
])('%j holds at most %d characters: %j', (text, charactersMax, expected) => {
  expect(holdsAtMost(text, charactersMax)).toBe(expected)
})
