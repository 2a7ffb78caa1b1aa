import { detectMediaType, type MediaType } from './file-signature.ts'

/** The first base64 characters of each signature. Other text is ruled out with one comparison for each. */
const heads = ['JVBERi0', 'R0lGOD', 'iVBORw0KGg', '/9j/', 'SUkqA', 'SUkrA', 'TU0AK', 'Qk']

/**
 * Returns the file in a custom parameter's value, or undefined if the value is text (spec: values that are base64
 * content with a PDF, GIF, PNG, JPEG, TIFF or BMP signature are processed as files). Accepts only canonical base64 of
 * the standard alphabet; line breaks are allowed.
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
 * Returns whether encoding the bytes would return the same text, without encoding megabytes. The decoder skips unknown
 * characters, so a matching length leaves few differences: the URL alphabet, which it also accepts, characters beyond
 * ASCII, of which it reads the low byte, and bits after the end.
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
