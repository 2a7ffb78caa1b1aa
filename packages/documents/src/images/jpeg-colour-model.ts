/** Baseline, extended and progressive Huffman coding: a PDF reader must support these. */
const decodableFrames = [0xc0, 0xc1, 0xc2]
/** Markers from C0 to CF that do not start a frame: tables, a reserved one, arithmetic conditioning. */
const notFrames = [0xc4, 0xc8, 0xcc]

/**
 * Returns the PDF colour space of a JPEG that a PDF can contain unchanged. Returns undefined for other JPEGs:
 * arithmetic or lossless coding, 12 bits, four inks (readers disagree on their inversion), and plain red, green and
 * blue that only the component names identify.
 */
export function jpegColourModel(bytes: Uint8Array): 'DeviceGray' | 'DeviceRGB' | undefined {
  const frame = readJpegFrame(bytes)
  if (!frame || !decodableFrames.includes(frame.marker) || frame.bits !== 8) return undefined
  if (frame.components === 1) return 'DeviceGray'
  return frame.components === 3 && !areNamedRgb(frame) ? 'DeviceRGB' : undefined
}

/** Returns how many bits each colour of a pixel has, or 8 if the file does not say it. */
export function jpegSampleBits(bytes: Uint8Array): number {
  return readJpegFrame(bytes)?.bits ?? 8
}

type JpegFrame = { marker: number; bits: number; components: number; view: DataView; at: number }

/** Reads the header of the picture itself. Thumbnails are inside other segments. */
function readJpegFrame(bytes: Uint8Array): JpegFrame | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 2
  while (at + 17 <= bytes.length && bytes[at] === 0xff) {
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
    } else if (marker >= 0xc0 && marker <= 0xcf && !notFrames.includes(marker)) {
      return { marker, bits: view.getUint8(at + 4), components: view.getUint8(at + 9), view, at }
    } else {
      at += 2 + view.getUint16(at + 2)
    }
  }
  return undefined
}

function areNamedRgb({ view, at }: JpegFrame): boolean {
  const names = [10, 13, 16].map((offset) => view.getUint8(at + offset))
  return String.fromCharCode(...names) === 'RGB'
}
