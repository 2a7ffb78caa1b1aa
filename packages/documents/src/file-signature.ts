const mediaTypes = [
  'application/pdf',
  'image/gif',
  'image/png',
  'image/jpeg',
  'image/tiff',
  'image/bmp',
] as const
export type MediaType = (typeof mediaTypes)[number]

const signatures: readonly { mediaType: MediaType; bytes: readonly number[] }[] = [
  { mediaType: 'application/pdf', bytes: ascii('%PDF-') },
  { mediaType: 'image/gif', bytes: ascii('GIF87a') },
  { mediaType: 'image/gif', bytes: ascii('GIF89a') },
  { mediaType: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { mediaType: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { mediaType: 'image/tiff', bytes: [0x49, 0x49, 0x2a, 0x00] },
  { mediaType: 'image/tiff', bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { mediaType: 'image/tiff', bytes: [0x49, 0x49, 0x2b, 0x00] },
  { mediaType: 'image/tiff', bytes: [0x4d, 0x4d, 0x00, 0x2b] },
]

/**
 * Returns the type of a file by its first bytes (spec: PDF, GIF, PNG, JPEG, TIFF and BMP are files). Returns undefined
 * for anything else, including a known signature that is not at byte 0. `bytes` may be the start of a file of
 * `fileBytes` bytes.
 */
export function detectMediaType(
  bytes: Uint8Array,
  fileBytes = bytes.length,
): MediaType | undefined {
  const known = signatures.find((signature) =>
    signature.bytes.every((byte, index) => bytes[index] === byte),
  )
  if (known) return known.mediaType
  return isBmp(bytes, fileBytes) ? 'image/bmp' : undefined
}

const bmpHeaderBytes = 14
const bmpInfoHeaderBytes = [12, 16, 40, 52, 56, 64, 108, 124]

/** Any text may begin with `BM`, so the header after it must be valid too. */
function isBmp(bytes: Uint8Array, fileBytes: number): boolean {
  if (bytes.length < bmpHeaderBytes + 12 || bytes[0] !== 0x42 || bytes[1] !== 0x4d) return false

  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const bytesSaid = header.getUint32(2, true)
  const reserved = header.getUint32(6, true)
  const pixelsAt = header.getUint32(10, true)
  const infoHeaderBytes = header.getUint32(14, true)
  return (
    bmpInfoHeaderBytes.includes(infoHeaderBytes) &&
    pixelsAt >= bmpHeaderBytes + infoHeaderBytes &&
    (reserved === 0 || bytesSaid === fileBytes)
  )
}

function ascii(text: string): number[] {
  return [...text].map((character) => character.charCodeAt(0))
}
