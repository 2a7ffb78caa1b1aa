import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { points } from './a4.ts'
import { addressWindow, layOutAddress } from './address-layout.ts'

const halfEm = (text: string) => text.length / 2
const lines = (count: number, length = 20) =>
  Array.from({ length: count }, () => 'x'.repeat(length))

function sizes(handling: number, address: number, length = 20) {
  const { lines: placed } = layOutAddress(
    { handling: lines(handling, length), address: lines(address, length) },
    halfEm,
  )
  return { handling: placed[0]?.size, address: placed.at(-1)?.size }
}

describe('the type has the largest size that fits in the window', () => {
  test.each([
    [0, 3, { handling: 10, address: 10 }],
    [0, 6, { handling: 10, address: 10 }],
    [0, 7, { handling: 10, address: 10 }],
    [0, 8, { handling: 8.5, address: 8.5 }],
    [1, 5, { handling: 10, address: 10 }],
    [2, 6, { handling: 8.5, address: 8.5 }],
    [3, 8, { handling: 5, address: 7 }],
  ] as const)('%d handling lines over %d address lines', (handling, address, expected) => {
    const got = sizes(handling, address)
    expect(handling > 0 ? got : { ...got, handling: got.address }).toEqual(expected)
  })

  test('long lines get smaller type', () => {
    expect(sizes(0, 3, 45).address).toBe(10)
    expect(sizes(0, 3, 60).address).toBe(8.5)
  })

  test('many handling lines get small type in two columns, and the address stays larger', () => {
    expect(sizes(7, 6)).toEqual({ handling: 5, address: 8 })
    expect(sizes(7, 8)).toEqual({ handling: 5, address: 6 })
  })
})

test('handling lines are above the address, and the second column starts at the height of the first', () => {
  const handling = lines(7).map((line, index) => `${line}${index + 1}`)
  const { lines: placed } = layOutAddress({ handling, address: lines(8) }, halfEm)

  const [first, , , , fifth] = placed
  expect(placed.slice(0, 7).map(({ text }) => text)).toEqual(handling)
  expect(fifth!.x).toBeGreaterThan(first!.x + first!.width)
  expect(fifth!.y).toBe(first!.y)
  expect(Math.max(...placed.slice(0, 7).map(({ y }) => y))).toBeLessThan(placed[7]!.y - 6 * 0.7)
})

describe('the barcode is', () => {
  const barcode = { width: 138, height: 12.6 }
  const place = (handling: string[], address: string[]) => {
    const layout = layOutAddress({ handling, address }, halfEm, barcode)
    const last = layout.lines.at(-1)!
    if (!layout.barcode) return { place: 'nowhere', size: last.size }
    const { x, y } = layout.barcode
    return { place: x > 100 ? 'beside' : y > last.y ? 'below' : 'above', size: last.size }
  }

  const partlyLong = [...lines(4, 45), ...lines(3, 8)]

  test.each([
    ['below 3 lines', [], lines(3), 'below', 10],
    ['below 5 lines, in smaller type', [], lines(5), 'below', 9.5],
    ['below 6 lines', [], lines(6), 'below', 8],
    ['beside 7 lines, for which there is no room above', [], lines(7), 'beside', 10],
    ['beside 8 lines', [], lines(8), 'beside', 8.5],
    ['beside 7 lines of which the first are long', [], partlyLong, 'beside', 10],
    ['beside 7 long lines in the smallest type', [], lines(7, 33), 'beside', 7],
    ['nowhere when 7 lines are too long even so', [], lines(7, 45), 'nowhere', 10],
    ['beside with a handling instruction', lines(2), lines(6), 'beside', 8.5],
    ['beside, since below it would get smaller than 6 points', lines(4), lines(4), 'beside', 8.5],
    ['below a handling instruction of exactly 6 points', lines(1), lines(5), 'below', 8],
    ['nowhere when the instruction would get too small', lines(7), lines(6), 'nowhere', 8],
  ])('%s', (_, handling, address, where, size) => {
    expect(place(handling, address)).toEqual({ place: where, size })
  })
})

test('every line of any address is inside the window', () => {
  const line = fc.string({ minLength: 1, maxLength: 45 })
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 7 }),
      fc.array(line, { minLength: 1, maxLength: 8 }),
      fc.double({ min: 0.1, max: 3, noNaN: true }),
      fc.option(
        fc.record({ width: fc.integer({ min: 90, max: 160 }), height: fc.constant(12.6) }),
        { nil: undefined },
      ),
      (handling, address, emPerCharacter, barcode) => {
        const { lines: placed, barcode: at } = layOutAddress(
          { handling, address },
          (text) => text.length * emPerCharacter,
          barcode,
        )
        expect(placed.map(({ text }) => text)).toEqual([...handling, ...address])
        for (const { x, y, size, width } of placed) {
          expect(x).toBeGreaterThan(0)
          expect(x + width).toBeLessThan(addressWindow.width)
          expect(y - 0.75 * size).toBeGreaterThan(0)
          expect(y + 0.25 * size).toBeLessThan(addressWindow.height)
        }
        if (!at || !barcode) return

        const quiet = points(2) - 1e-9
        const right = at.x + barcode.width
        const bottom = at.y + barcode.height
        expect(at.x).toBeGreaterThanOrEqual(quiet)
        expect(addressWindow.width - right).toBeGreaterThanOrEqual(quiet)
        expect(addressWindow.height - bottom).toBeGreaterThanOrEqual(quiet)
        for (const { text, size, x, y } of placed) {
          const textRight = x + text.length * emPerCharacter * size
          const isClear = y + 0.25 * size <= at.y - quiet || textRight <= at.x - quiet
          expect(isClear).toBe(true)
        }
      },
    ),
  )
})
