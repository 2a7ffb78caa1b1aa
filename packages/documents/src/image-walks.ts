import type { Walk } from './byte-walk.ts'

/** PNG: chunks. The first is the header, after the mark of a PNG for Apple devices; the last has a type of its own. */
export function* walkPng(): Walk {
  yield { skip: 8 }
  let index = 0
  for (;;) {
    const head = view(yield { take: 8 })
    const length = head.getUint32(0)
    const type = String.fromCharCode(...bytesOf(head).subarray(4))
    if (index === 0 && type === 'CgBI') {
      yield { skip: length + 4 }
      continue
    }
    const isHeader = type === 'IHDR' && length === 13
    if (isHeader !== (index === 0) || length > 0x7fffffff || !/^[A-Za-z]{4}$/.test(type)) {
      return false
    }
    yield { skip: length + 4 }
    if (type === 'IEND') return true
    index += 1
  }
}

/** GIF: a sequence of blocks made of sub-blocks, up to the trailer. */
export function* walkGif(): Walk {
  const screen = yield { take: 13 }
  yield { skip: colourTableBytes(screen[10]!) }
  for (;;) {
    const [introducer] = yield { take: 1 }
    if (introducer === 0x3b) return true
    if (introducer === 0x21) yield { skip: 1 }
    else if (introducer === 0x2c) {
      const image = yield { take: 9 }
      // The colour table, and the size of the first code.
      yield { skip: colourTableBytes(image[8]!) + 1 }
    } else return false
    for (let length = 1; length > 0; ) {
      length = (yield { take: 1 })[0]!
      yield { skip: length }
    }
  }
}

function colourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** JPEG: segments with lengths, scans that end at the next marker, the end marker. Thumbnails are inside segments. */
export function* walkJpeg(): Walk {
  yield { skip: 2 }
  for (;;) {
    // Bytes between two segments are skipped, as decoders do. In a scan they are the picture.
    yield { behind: 0xff }
    let marker = 0xff
    while (marker === 0xff) marker = (yield { take: 1 })[0]!
    if (marker === 0xd9) return true
    const standsAlone = marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd7)
    if (standsAlone) continue
    const length = view(yield { take: 2 }).getUint16(0)
    if (length < 2 || marker === 0xd8) return false
    yield { skip: length - 2 }
  }
}

/** BMP: a header with the offset of the pixels and their number of bytes. */
export function* walkBmp(): Walk {
  const head = view(yield { take: 18 })
  const pixelsAt = head.getUint32(10, true)
  const headerBytes = head.getUint32(14, true)
  const isOldest = headerBytes === 12
  const header = view(yield { take: headerBytes - 4 })
  const width = isOldest ? header.getUint16(0, true) : header.getInt32(0, true)
  const height = isOldest ? header.getUint16(2, true) : header.getInt32(4, true)
  const bitsPerPixel = header.getUint16(isOldest ? 6 : 10, true)
  const compression = headerBytes >= 40 ? header.getUint32(12, true) : 0
  if (width <= 0 || height === 0) return false
  const isCompressed = compression === 1 || compression === 2
  const rowBytes = Math.ceil((width * bitsPerPixel) / 32) * 4
  const pixelBytes = isCompressed ? header.getUint32(16, true) : rowBytes * Math.abs(height)
  yield { skip: pixelsAt - 14 - headerBytes + pixelBytes }
  return true
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function bytesOf({ buffer, byteOffset, byteLength }: DataView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
