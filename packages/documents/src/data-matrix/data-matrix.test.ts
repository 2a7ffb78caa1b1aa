import { byEffort } from '@despatch/testing/effort'
import bwipjs from 'bwip-js'
import { describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '../../test/fuzz/random.ts'
import { insertionMarkText } from '../marks/draw-insertion-mark.ts'
import { makeDataMatrix } from './data-matrix.ts'

/** bwip-js takes a millisecond and more for each. */
const textsCount = byEffort({ landing: 100, full: 10_000 })

/** Digits of any length that has a size of its own, and more than one number of pads for each. */
const digits = Array.from({ length: 88 }, (_, index) => '8051937264'.repeat(9).slice(0, index + 1))

describe('each module equals that of another encoder', () => {
  test(`in the marks of ${textsCount} random documents`, () => {
    const texts = Array.from({ length: textsCount }, (_, index) => aMark(seededRandom(1, index)))
    expect(texts.filter(isDrawnOtherwise)).toEqual([])
  })

  test('in every size', () => {
    expect(digits.filter(isDrawnOtherwise)).toEqual([])
    const sizes = new Set(digits.map((text) => makeDataMatrix(text).size))
    expect([...sizes]).toEqual([10, 12, 14, 16, 18, 20, 22, 24, 26])
  })
})

test.each([
  ['too long', 'x'.repeat(45)],
  ['not ASCII', 'Ŵ'],
])('a text that is %s is not encoded', (_, text) => {
  expect(() => makeDataMatrix(text)).toThrow()
})

/** Returns the text of a mark, with numbers of any length that the database can hold. */
function aMark(random: Random): string {
  const number = (digitsMax: number) =>
    1 +
    random.below(9) +
    Array.from({ length: random.below(digitsMax) }, () => random.below(10)).join('')
  return insertionMarkText(`D${number(19)}`, Number(number(5)), Number(number(5)))
}

function isDrawnOtherwise(text: string): boolean {
  const [symbol] = bwipjs.raw('datamatrix', text)
  if (!symbol || !('pixs' in symbol)) throw new Error('bwip-js drew no modules')
  const { size, modules } = makeDataMatrix(text)
  return symbol.pixx !== size || symbol.pixy !== size || symbol.pixs.join() !== modules.join()
}
