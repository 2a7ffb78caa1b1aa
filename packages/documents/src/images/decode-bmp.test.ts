import { describe, expect, test } from 'vitest'
import { decodeBmp } from './decode-bmp.ts'

type Shape = {
  bits: number
  width?: number
  height?: number
  compression?: number
  masks?: number[]
  palette?: [red: number, green: number, blue: number][]
}

/** Rows in file order: from the bottom up unless the height is negative. */
function aBmp(shape: Shape, rows: readonly ArrayLike<number>[]): Uint8Array {
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
  const data = rows.map((row) => Buffer.from(Uint8Array.from(row)))
  return Buffer.concat([header, Buffer.from([...maskBytes, ...colours]), ...data])
}

const red = [255, 0, 0]
const blue = [0, 0, 255]
const white = [255, 255, 255]
const black = [0, 0, 0]
const palette: Shape['palette'] = [
  [255, 0, 0],
  [0, 0, 255],
  [255, 255, 255],
  [0, 0, 0],
]

describe('pixels are decoded from the top left as red, green, blue', () => {
  test.each([
    [
      '1 bit',
      aBmp({ bits: 1, palette: palette.slice(0, 2) }, [
        [0b01000000, 0, 0, 0],
        [0b10000000, 0, 0, 0],
      ]),
      [blue, red, red, blue],
    ],
    [
      '4 bits',
      aBmp({ bits: 4, palette }, [
        [0x23, 0, 0, 0],
        [0x01, 0, 0, 0],
      ]),
      [red, blue, white, black],
    ],
    [
      '8 bits',
      aBmp({ bits: 8, palette }, [
        [2, 3, 0, 0],
        [0, 1, 0, 0],
      ]),
      [red, blue, white, black],
    ],
    [
      '16 bits',
      aBmp({ bits: 16 }, [
        [0xff, 0x7f, 0, 0],
        [0, 0x7c, 0x1f, 0],
      ]),
      [red, blue, white, black],
    ],
    [
      '24 bits',
      aBmp({ bits: 24 }, [
        [255, 255, 255, 0, 0, 0, 0, 0],
        [0, 0, 255, 255, 0, 0, 0, 0],
      ]),
      [red, blue, white, black],
    ],
    [
      '24 bits from the top down',
      aBmp({ bits: 24, height: -2 }, [
        [0, 0, 255, 255, 0, 0, 0, 0],
        [255, 255, 255, 0, 0, 0, 0, 0],
      ]),
      [red, blue, white, black],
    ],
    [
      '32 bits, with nothing in the byte for transparency',
      aBmp({ bits: 32 }, [
        [255, 255, 255, 0, 0, 0, 0, 0],
        [0, 0, 255, 0, 255, 0, 0, 0],
      ]),
      [red, blue, white, black],
    ],
    [
      '32 bits with colour masks',
      aBmp({ bits: 32, compression: 3, masks: [0xff, 0xff00, 0xff0000] }, [
        [255, 255, 255, 0, 0, 0, 0, 0],
        [255, 0, 0, 0, 0, 0, 255, 0],
      ]),
      [red, blue, white, black],
    ],
  ])('%s', (_, bmp, pixels) => {
    expect(decodeBmp(bmp)).toEqual({
      width: 2,
      height: 2,
      channels: 3,
      pixels: new Uint8Array(pixels.flat()),
    })
  })
})

test('a row of an odd width in 4 bits is decoded', () => {
  const bmp = aBmp({ bits: 4, width: 3, palette }, [
    [0x23, 0x10, 0, 0],
    [0x01, 0x20, 0, 0],
  ])
  expect(decodeBmp(bmp)).toEqual({
    width: 3,
    height: 2,
    channels: 3,
    pixels: new Uint8Array([red, blue, white, white, black, blue].flat()),
  })
})

test('a gap before the pixels is skipped', () => {
  const bmp = Buffer.from(aBmp({ bits: 24, width: 1, height: 1 }, [[1, 2, 3, 0]]))
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

describe('a BMP that would be decoded to another picture is an error', () => {
  test.each([
    [
      'run lengths of 8 bits',
      aBmp({ bits: 8, compression: 1, palette }, [
        [2, 0],
        [0, 1],
      ]),
    ],
    [
      'run lengths of 4 bits',
      aBmp({ bits: 4, compression: 2, palette }, [
        [2, 0],
        [0, 1],
      ]),
    ],
    [
      '2 bits',
      aBmp({ bits: 2, palette }, [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ]),
    ],
    ['a JPEG inside', aBmp({ bits: 24, compression: 4 }, [[0, 0, 0, 0, 0, 0, 0, 0]])],
    ['no width', aBmp({ bits: 24, width: 0 }, [])],
    ['a negative width', aBmp({ bits: 24, width: -2 }, [])],
    ['more pixels than allowed', aBmp({ bits: 24, width: 5001, height: -10_000 }, [])],
    ['colours that are not there', aBmp({ bits: 8 }, [[0, 0, 0, 0]])],
    ['pixels missing', aBmp({ bits: 24 }, [[0, 0, 0, 0, 0, 0, 0, 0]])],
    [
      'a colour that the palette lacks',
      aBmp({ bits: 4, palette: palette.slice(0, 1) }, [
        [0x23, 0, 0, 0],
        [0x01, 0, 0, 0],
      ]),
    ],
  ])('%s', (_, bmp) => {
    expect(() => decodeBmp(bmp)).toThrow()
  })
})
