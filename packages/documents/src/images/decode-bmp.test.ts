import { describe, expect, test } from 'vitest'
import { decodeBmp } from './decode-bmp.ts'

type Colour = readonly [red: number, green: number, blue: number]
type Shape = {
  bits: number
  width?: number
  height?: number
  compression?: number
  masks?: number[]
  palette?: Colour[]
}

/** Bytes in file order: rows from the bottom up unless the height is negative. A text is hexadecimal. */
function aBmp(shape: Shape, rows: string | readonly Uint8Array[] = ''): Uint8Array {
  const { bits, width = 2, height = 2, compression = 0, masks = [], palette = [] } = shape
  const header = Buffer.alloc(54)
  header.write('BM')
  header.writeUInt32LE(54 + 4 * masks.length + 4 * palette.length, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(width, 18)
  header.writeInt32LE(height, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(bits, 28)
  header.writeUInt32LE(compression, 30)
  header.writeUInt32LE(palette.length, 46)
  const maskBytes = masks.flatMap((mask) => [mask & 255, (mask >> 8) & 255, (mask >> 16) & 255, 0])
  const colours = palette.flatMap(([red, green, blue]) => [blue, green, red, 0])
  const data = typeof rows === 'string' ? [Buffer.from(rows.replaceAll(' ', ''), 'hex')] : rows
  return Buffer.concat([header, Buffer.from([...maskBytes, ...colours]), ...data])
}

const red: Colour = [255, 0, 0]
const blue: Colour = [0, 0, 255]
const white: Colour = [255, 255, 255]
const black: Colour = [0, 0, 0]
const four = [red, blue, white, black]
const palette = four
const masked = { bits: 32, compression: 3, masks: [0xff, 0xff00, 0xff0000] }

describe('pixels are decoded from the top left as red, green, blue', () => {
  test.each<[what: string, shape: Shape, rows: string, pixels: Colour[]]>([
    ['1 bit', { bits: 1, palette: [red, blue] }, '40000000 80000000', [blue, red, red, blue]],
    ['4 bits', { bits: 4, palette }, '23000000 01000000', four],
    ['8 bits', { bits: 8, palette }, '02030000 00010000', four],
    ['16 bits', { bits: 16 }, 'ff7f0000 007c1f00', four],
    ['24 bits', { bits: 24 }, 'ffffff0000000000 0000ffff00000000', four],
    ['24 bits, top down', { bits: 24, height: -2 }, '0000ffff00000000 ffffff0000000000', four],
    ['32 bits, without transparency', { bits: 32 }, 'ffffff0000000000 0000ff00ff000000', four],
    ['32 bits with colour masks', masked, 'ffffff0000000000 ff0000000000ff00', four],
  ])('%s', (_, shape, rows, pixels) => {
    expect(decodeBmp(aBmp(shape, rows))).toEqual({
      width: 2,
      height: 2,
      channels: 3,
      pixels: new Uint8Array(pixels.flat()),
    })
  })
})

test('a row of an odd width in 4 bits is decoded', () => {
  expect(decodeBmp(aBmp({ bits: 4, width: 3, palette }, '23100000 01200000'))).toMatchObject({
    width: 3,
    pixels: new Uint8Array([red, blue, white, white, black, blue].flat()),
  })
})

test('a gap before the pixels is skipped', () => {
  const bmp = Buffer.from(aBmp({ bits: 24, width: 1, height: 1 }, '01020300'))
  const withGap = Buffer.concat([bmp.subarray(0, 54), Buffer.alloc(100, 9), bmp.subarray(54)])
  withGap.writeUInt32LE(154, 10)
  expect(decodeBmp(withGap).pixels).toEqual(new Uint8Array([3, 2, 1]))
})

test.each([
  ['from the bottom up', 2001],
  ['from the top down', -2001],
])('rows of a large picture keep their order, %s', (_, height) => {
  const width = 1500
  const rows = Array.from({ length: 2001 }, (_, row) => new Uint8Array(width * 3).fill(row % 251))
  const { pixels } = decodeBmp(aBmp({ bits: 24, width, height }, rows))
  const firstOfRows = Array.from({ length: 2001 }, (_, row) => pixels[row * width * 3])
  const inFile = rows.map(([first]) => first)
  expect(firstOfRows).toEqual(height < 0 ? inFile : inFile.toReversed())
})

test.each<[what: string, shape: Shape, rows?: string]>([
  ['run lengths of 8 bits', { bits: 8, compression: 1, palette }, '0200 0001'],
  ['run lengths of 4 bits', { bits: 4, compression: 2, palette }, '0200 0001'],
  ['2 bits', { bits: 2, palette }, '00000000 00000000'],
  ['a JPEG inside', { bits: 24, compression: 4 }, '0000000000000000'],
  ['no width', { bits: 24, width: 0 }],
  ['a negative width', { bits: 24, width: -2 }],
  ['more pixels than allowed', { bits: 24, width: 5001, height: -10_000 }],
  ['colours that are not there', { bits: 8 }, '00000000'],
  ['pixels missing', { bits: 24 }, '0000000000000000'],
  ['a colour that the palette lacks', { bits: 4, palette: [red] }, '23000000 01000000'],
])('a BMP that would be decoded to another picture is an error: %s', (_, shape, rows) => {
  expect(() => decodeBmp(aBmp(shape, rows))).toThrow()
})
