import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressWindow, layOutAddress } from './address-layout.ts'

const halfEm = (text: string) => text.length / 2
const lines = (count: number, length = 20) =>
  Array.from({ length: count }, () => 'x'.repeat(length))

function sizes(handling: number, address: number, length = 20) {
  const placed = layOutAddress(
    { handling: lines(handling, length), address: lines(address, length) },
    halfEm,
  )
  return { handling: placed[0]?.size, address: placed.at(-1)?.size }
}

describe('the type is as large as the window allows', () => {
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

  test('long lines are set smaller', () => {
    expect(sizes(0, 3, 45).address).toBe(10)
    expect(sizes(0, 3, 60).address).toBe(8.5)
  })

  test('many handling lines get small and two columns, the address stays larger', () => {
    expect(sizes(7, 6)).toEqual({ handling: 5, address: 8 })
    expect(sizes(7, 8)).toEqual({ handling: 5, address: 6 })
  })
})

test('handling stands above the address; columns are read one after the other', () => {
  const handling = lines(7).map((line, index) => `${line}${index + 1}`)
  const placed = layOutAddress({ handling, address: lines(8) }, halfEm)

  const [first, , , , fifth] = placed
  expect(placed.slice(0, 7).map(({ text }) => text)).toEqual(handling)
  expect(fifth!.x).toBeGreaterThan(first!.x + first!.width)
  expect(fifth!.y).toBe(first!.y)
  expect(Math.max(...placed.slice(0, 7).map(({ y }) => y))).toBeLessThan(placed[7]!.y - 6 * 0.7)
})

test('everything is inside the window, whatever the lines', () => {
  const line = fc.string({ minLength: 1, maxLength: 45 })
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 7 }),
      fc.array(line, { minLength: 1, maxLength: 8 }),
      fc.double({ min: 0.1, max: 3, noNaN: true }),
      (handling, address, emPerCharacter) => {
        const placed = layOutAddress({ handling, address }, (text) => text.length * emPerCharacter)
        expect(placed.map(({ text }) => text)).toEqual([...handling, ...address])
        for (const { x, y, size, width } of placed) {
          expect(x).toBeGreaterThan(0)
          expect(x + width).toBeLessThan(addressWindow.width)
          expect(y - 0.75 * size).toBeGreaterThan(0)
          expect(y + 0.25 * size).toBeLessThan(addressWindow.height)
        }
      },
    ),
  )
})
