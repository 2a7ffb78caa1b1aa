import { imageTooLarge, unprintableImage } from './image-fault.ts'
import { imageFramesMax, pngChunksMax, pngTextBytesMax } from './image-limits.ts'

const compressedTexts: readonly string[] = ['zTXt', 'iTXt']
const pixelChunks: readonly string[] = ['IDAT', 'fdAT']

/**
 * Throws an ImageFault if a PNG is one for Apple devices, has too many chunks or too much compressed text, or a GIF too many frames. The decoder
 * reads these before its limits apply. The structure of the file was checked.
 */
export function checkParts(bytes: Uint8Array, mediaType: string): void {
  if (mediaType === 'image/png') checkChunks(bytes)
  if (mediaType === 'image/gif') checkFrames(countFrames(bytes))
}

/** Throws an ImageFault if an image has more frames than allowed. */
export function checkFrames(frames: number): void {
  if (frames <= imageFramesMax) return
  throw imageTooLarge(`The image has ${frames} pages; at most ${imageFramesMax} are allowed.`, {
    unit: 'pages',
    measured: frames,
    max: imageFramesMax,
  })
}

function checkChunks(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let chunks = 0
  let textBytes = 0
  for (let at = 8; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at)
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    if (type === 'CgBI') throw unprintableImage('a PNG for Apple devices alone (CgBI)')
    if (!pixelChunks.includes(type)) chunks += 1
    if (compressedTexts.includes(type)) textBytes += length
    at += length + 12
  }
  if (textBytes > pngTextBytesMax) {
    throw imageTooLarge(
      `The image has ${textBytes} bytes of compressed texts; at most ${pngTextBytesMax} are allowed.`,
      { unit: 'bytes', measured: textBytes, max: pngTextBytesMax },
    )
  }
  if (chunks > pngChunksMax) {
    throw imageTooLarge(
      `The image has ${chunks} parts besides its pixels; at most ${pngChunksMax} are allowed.`,
      { unit: 'objects', measured: chunks, max: pngChunksMax },
    )
  }
}

/** Follows the blocks of a GIF. Returns what it has counted where the structure ends. */
function countFrames(bytes: Uint8Array): number {
  let frames = 0
  let at = 13 + tableBytes(bytes[10])
  while (at < bytes.length) {
    const introducer = bytes[at]
    if (introducer === 0x2c) {
      frames += 1
      at += 11 + tableBytes(bytes[at + 9])
    } else if (introducer === 0x21) at += 2
    else break
    while (at < bytes.length && bytes[at] !== 0) at += bytes[at]! + 1
    at += 1
  }
  return frames
}

function tableBytes(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}
