import { encodeAscii, padTo } from './encodation.ts'
import { fixed, placementOf } from './placement.ts'
import { errorCodewords } from './reed-solomon.ts'

/** A Data Matrix symbol: modules row by row from the top left, 1 for a dark one. */
type DataMatrix = { size: number; modules: Uint8Array }

/** The square symbols with one region: modules across, data codewords, error correction codewords. */
const symbols = [
  { size: 10, data: 3, errorCorrection: 5 },
  { size: 12, data: 5, errorCorrection: 7 },
  { size: 14, data: 8, errorCorrection: 10 },
  { size: 16, data: 12, errorCorrection: 12 },
  { size: 18, data: 18, errorCorrection: 14 },
  { size: 20, data: 22, errorCorrection: 18 },
  { size: 22, data: 30, errorCorrection: 20 },
  { size: 24, data: 36, errorCorrection: 24 },
  { size: 26, data: 44, errorCorrection: 28 },
] as const

/**
 * Returns the smallest square Data Matrix ECC 200 (ISO/IEC 16022:2006) that holds a text in ASCII encodation. Throws if
 * the text has another character, or more than 44 codewords: a pair of digits takes one, any other character another.
 */
export function makeDataMatrix(text: string): DataMatrix {
  const encoded = encodeAscii(text)
  // Table 7, sizes and capacities.
  const symbol = symbols.find(({ data }) => data >= encoded.length)
  if (!symbol) throw new Error(`A text of ${encoded.length} codewords is too long for its mark`)

  const data = padTo(symbol.data, encoded)
  const modules = drawFinderPattern(symbol.size)
  drawCodewords(modules, symbol.size, [...data, ...errorCodewords(data, symbol.errorCorrection)])
  return { size: symbol.size, modules }
}

/** The left and bottom edges are dark, the top and right edges alternate (5.8.3). */
function drawFinderPattern(size: number): Uint8Array {
  const modules = new Uint8Array(size * size)
  modules.fill(1, size * (size - 1))
  for (let at = 0; at < size; at++) {
    modules[at * size] = 1
    if (at % 2 === 0) modules[at] = 1
    else modules[at * size + size - 1] = 1
  }
  return modules
}

function drawCodewords(modules: Uint8Array, size: number, codewords: readonly number[]): void {
  const inside = size - 2
  const placement = placementOf(inside)
  for (let row = 0; row < inside; row++) {
    for (let column = 0; column < inside; column++) {
      const bit = placement[row * inside + column]!
      const isDark =
        bit >= 0 ? (codewords[bit >> 3]! >> (7 - (bit & 7))) & 1 : Number(bit === fixed.dark)
      modules[(row + 1) * size + column + 1] = isDark
    }
  }
}
