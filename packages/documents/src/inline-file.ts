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
  if (base64.length % 4 !== 0) return undefined
  const bytes = Buffer.from(base64, 'base64')
  const mediaType = detectMediaType(bytes)
  if (!mediaType) return undefined

  // The decoder skips what it does not know; only what it would write itself is canonical
  return bytes.toString('base64') === base64 ? { mediaType, bytes } : undefined
}

function withoutLineBreaks(value: string): string {
  return value.includes('\n') || value.includes('\r') ? value.replaceAll(/[\r\n]+/g, '') : value
}
