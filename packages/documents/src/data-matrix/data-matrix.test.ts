import { byEffort } from '@despatch/testing/effort'
import bwipjs from 'bwip-js'
import { describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '../../test/fuzz/random.ts'
import { readDataMatrix } from '../../test/read-barcodes.ts'
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

test.each(digits.filter((_, index) => index % 6 === 5))('a reader reads %s back', async (text) => {
  expect(await readDataMatrix(pictureOf(makeDataMatrix(text)))).toEqual([text])
})

test('a reader still reads a symbol with a spot', async () => {
  const { size, modules } = makeDataMatrix('D100000001/1/1')
  const spotted = modules.map((dark, index) => {
    const [row, column] = [Math.floor(index / size), index % size]
    return row >= 5 && row < 8 && column >= 5 && column < 9 ? 1 : dark
  })

  expect(spotted).not.toEqual(modules)
  expect(await readDataMatrix(pictureOf({ size, modules: spotted }))).toEqual(['D100000001/1/1'])
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

/** Returns a picture of a symbol: 4 pixels for each module, with a quiet zone of two modules. */
function pictureOf({ size, modules }: ReturnType<typeof makeDataMatrix>) {
  const width = 4 * (size + 4)
  const grey = new Uint8Array(width * width).fill(255)
  for (const [index, dark] of modules.entries()) {
    if (dark === 0) continue
    const [top, left] = [4 * (Math.floor(index / size) + 2), 4 * ((index % size) + 2)]
    for (let row = top; row < top + 4; row++) {
      grey.fill(0, row * width + left, row * width + left + 4)
    }
  }
  return { width, height: width, grey }
}
