import { detectMediaType, type MediaType } from './file-signature.ts'

/** How the base64 of each signature begins. Text that begins otherwise costs one comparison each. */
const heads = ['JVBERi0', 'R0lGOD', 'iVBORw0KGg', '/9j/', 'SUkqA', 'SUkrA', 'TU0AK', 'Qk']

/**
 * The file in a custom parameter's value (spec: values that are base64 content with a PDF, GIF, PNG,
 * JPEG, TIFF or BMP signature are processed as files). Only canonical base64 of the standard
 * alphabet counts, line breaks allowed; anything else is text, for which the answer is undefined.
 */
export function decodeInlineFile(
  value: string,
): { mediaType: MediaType; bytes: Uint8Array } | undefined {
  if (!heads.some((head) => value.startsWith(head))) return undefined

  const base64 = withoutLineBreaks(value)
  const bytes = Buffer.from(base64, 'base64')
  const mediaType = detectMediaType(bytes)
  return mediaType && isCanonical(base64, bytes) ? { mediaType, bytes } : undefined
}

/**
 * Whether the bytes, encoded again, would be the text. Said without encoding megabytes: the decoder
 * skips what it does not know, so a length that is right leaves only the alphabet of URLs, which it
 * also knows, characters beyond ASCII, of which it sees the lowest byte, and bits behind the end.
 */
function isCanonical(base64: string, bytes: Buffer): boolean {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  const lastGroupAt = Math.floor((bytes.length - 1) / 3) * 3
  return (
    bytes.length === (base64.length / 4) * 3 - padding &&
    !base64.includes('-') &&
    !base64.includes('_') &&
    Buffer.byteLength(base64) === base64.length &&
    bytes.toString('base64', lastGroupAt) === base64.slice(-4)
  )
}

function withoutLineBreaks(value: string): string {
  return value.includes('\n') || value.includes('\r') ? value.replaceAll(/[\r\n]+/g, '') : value
}
