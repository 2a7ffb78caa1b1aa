import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { aTiff } from './sample-files.ts'

type MakeFile = () => Uint8Array | Promise<Uint8Array>

/** Images that demand very much, by kind and then by name. Each is made on request. */
export const hostileImages: Readonly<Record<string, Readonly<Record<string, MakeFile>>>> = {
  PNG: {
    'of 100 million pixels, nearly empty': () => png({ width: 10_000, height: 10_000 }),
    'of 49 million pixels of 16 bits, with alpha': () =>
      png({ width: 7_000, height: 7_000, bits: 16, colour: 6 }),
    'interlaced, of 81 million pixels': () =>
      png({ width: 9_000, height: 9_000, isInterlaced: true }),
    'of two billion pixels by its header': () =>
      png({ width: 50_000, height: 50_000, rows: Buffer.alloc(10) }),
    'of rows for 100 times its height': () =>
      png({ width: 100, height: 100, rows: Buffer.alloc(101 * 10_000 * 100) }),
    'of 200,000 chunks': () =>
      png({ width: 9, height: 9, chunks: Array(200_000).fill(['teSt', Buffer.alloc(0)]) }),
    'of a profile that decodes to 200 MiB': () =>
      png({
        width: 9,
        height: 9,
        chunks: [
          ['iCCP', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(200 << 20))])],
        ],
      }),
    'of 500 texts that each decode to 8 MiB': () => {
      const text = Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(8 << 20, 'x'))])
      return png({ width: 9, height: 9, chunks: Array(500).fill(['zTXt', text]) })
    },
    'of a width of no end': () => png({ width: 60_000, height: 1_600 }),
  },
  GIF: {
    'of 5,000 frames': () => gif({ width: 600, height: 600, frames: 5_000 }),
    'of 90,000 frames of a dot': () => gif({ width: 1, height: 1, frames: 90_000 }),
    'of a screen of 65,535 dots squared': () => gif({ width: 65_535, height: 65_535, frames: 1 }),
    'of 300 frames of 5,000 dots squared': () => gif({ width: 5_000, height: 5_000, frames: 300 }),
  },
  JPEG: {
    'progressive, of 1,000 scans': () => scans(1_000, 2_000),
    'progressive, of 20,000 scans': () => scans(20_000, 500),
    'of 65,000 dots squared by its header': async () => {
      const jpeg = Buffer.from(await plain(64).jpeg().toBuffer())
      const at = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
      jpeg.writeUInt16BE(65_000, at + 5)
      jpeg.writeUInt16BE(65_000, at + 7)
      return jpeg
    },
    'of 2,000 comments': async () => {
      const jpeg = await plain(64).jpeg().toBuffer()
      const comment = Buffer.alloc(2_002, 'x')
      comment.set([0xff, 0xfe, 0x07, 0xd0])
      return Buffer.concat([jpeg.subarray(0, 2), ...Array(2_000).fill(comment), jpeg.subarray(2)])
    },
  },
  TIFF: {
    'of 5,000 directories': () => aTiff(5_000),
    'of a directory that leads to itself': () => {
      const tiff = Buffer.from(aTiff(1))
      tiff.writeUInt32LE(8 + 64, tiff.length - 4)
      return tiff
    },
    'of 90 million pixels in a strip of a few bytes': () => {
      const tiff = Buffer.from(aTiff(1))
      for (const at of [0, 1]) tiff.writeUInt32LE(9_500, 8 + 64 + 2 + at * 12 + 8)
      tiff.writeUInt32LE(9_500, 8 + 64 + 2 + 7 * 12 + 8)
      return tiff
    },
    'of 81 million pixels, compressed': () =>
      plain(9_000).tiff({ compression: 'deflate' }).toBuffer(),
  },
  BMP: {
    'of 49 million pixels': () => bmp(7_000, 7_000, 1),
    'of two billion pixels by its header': () => bmp(46_000, 46_000, 1, 9),
    'of run lengths for 50 million pixels': () => bmp(7_000, 7_000, 8, 90, 1),
  },
  'other kinds': {
    'SVG of entities of entities': () =>
      Buffer.from(
        `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(99)}"><!ENTITY b "${'&a;'.repeat(99)}">]><svg>&b;</svg>`,
      ),
    'an archive named as an image': () => Buffer.from('PK\x03\x04 a.png', 'latin1'),
  },
}

function plain(side: number) {
  return sharp({
    create: { width: side, height: side, channels: 3, background: '#808080' },
    limitInputPixels: false,
  })
}

type Png = {
  width: number
  height: number
  bits?: 8 | 16
  /** 0: grey. 6: with alpha. */
  colour?: 0 | 6
  isInterlaced?: boolean
  /** Rows, each after the number of its filter. */
  rows?: Uint8Array
  chunks?: readonly (readonly [type: string, data: Uint8Array])[]
}

function png({ width, height, bits = 8, colour = 0, isInterlaced, rows, chunks = [] }: Png) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([bits, colour, 0, 0, isInterlaced ? 1 : 0], 8)
  const dotBytes = (bits / 8) * (colour === 6 ? 4 : 1)
  // an interlaced image has rows of its own for each of its seven passes
  const data = rows ?? Buffer.alloc(width * height * dotBytes + height * (isInterlaced ? 2 : 1))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...chunks.map(([type, content]) => chunk(type, content)),
    chunk('IDAT', deflateSync(data, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** Each frame covers the screen with one colour. */
function gif({ width, height, frames }: { width: number; height: number; frames: number }) {
  const screen = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  screen.writeUInt16LE(width, 6)
  screen.writeUInt16LE(height, 8)
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0x4c, 0x01, 0])
  frame.writeUInt16LE(width, 5)
  frame.writeUInt16LE(height, 7)
  return Buffer.concat([screen, ...Array(frames).fill(frame), Buffer.from([0x3b])])
}

/** A progressive JPEG whose last scan is repeated. */
async function scans(count: number, side: number): Promise<Uint8Array> {
  const jpeg = await plain(side).jpeg({ progressive: true }).toBuffer()
  const last = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]))
  const end = jpeg.length - 2
  const scan = jpeg.subarray(last, end)
  return Buffer.concat([jpeg.subarray(0, end), ...Array(count).fill(scan), jpeg.subarray(end)])
}

function bmp(width: number, height: number, bits: 1 | 8, bytes?: number, compression = 0) {
  const pixels = bytes ?? Math.ceil((width * bits) / 32) * 4 * height
  const palette = 4 * 2 ** bits
  const file = Buffer.alloc(54 + palette + pixels)
  file.write('BM', 'latin1')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(54 + palette, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(bits, 28)
  file.writeUInt32LE(compression, 30)
  file.writeUInt32LE(pixels, 34)
  return file
}
