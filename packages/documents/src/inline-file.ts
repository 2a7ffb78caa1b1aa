import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { detectMediaType, type MediaType } from './file-signature.ts'

export type InlineFile = { mediaType: MediaType; bytes: Uint8Array; sha256: string }

/** The first base64 characters of each signature. Other text is ruled out with one comparison for each. */
const heads = ['JVBERi0', 'R0lGOD', 'iVBORw0KGg', '/9j/', 'SUkqA', 'SUkrA', 'TU0AK', 'Qk']
/** Decoding and hashing this many characters takes about a millisecond. */
const charactersPerTurn = 512 * 1024

/**
 * Call it before decoding that many characters. It lets other work run first if too many were decoded since it last
 * did.
 */
export type DecodingTurns = (characters: number) => Promise<void>

/** Returns the turns of the values of one request, which are decoded one after the other. */
export function startDecodingTurns(): DecodingTurns {
  let decoded = 0
  return async (characters) => {
    if (decoded > 0 && decoded + characters > charactersPerTurn) {
      await nextTurn()
      decoded = 0
    }
    decoded += characters
  }
}

/**
 * Returns the file in a custom parameter's value, or undefined if the value is text. Spec: values that are base64
 * content with a PDF, GIF, PNG, JPEG, TIFF or BMP signature are processed as files. Accepts only canonical base64 of
 * the standard alphabet; line breaks are allowed. Lets other work run while it decodes a large file or many files.
 */
export async function decodeInlineFile(
  value: string,
  takeTurn: DecodingTurns = startDecodingTurns(),
): Promise<InlineFile | undefined> {
  if (!heads.some((head) => value.startsWith(head))) return undefined

  const bytes = Buffer.allocUnsafe(Math.ceil((value.length / 4) * 3))
  const hash = createHash('sha256')
  let length = 0
  let rest = ''
  let isPadded = false
  for (let at = 0; at < value.length; at += charactersPerTurn) {
    const part = value.slice(at, at + charactersPerTurn)
    await takeTurn(part.length)
    const base64 = rest + withoutLineBreaks(part)
    const isLast = at + charactersPerTurn >= value.length
    const whole = isLast ? base64.length : base64.length - (base64.length % 4)
    rest = base64.slice(whole)
    const groups = base64.slice(0, whole)
    const decoded = decode(groups, bytes.subarray(length))
    // Only line breaks may follow the padding.
    if (!decoded || (isPadded && base64 !== '')) return undefined
    isPadded ||= groups.endsWith('=')
    hash.update(decoded)
    length += decoded.length
  }
  const file = bytes.subarray(0, length)
  const mediaType = detectMediaType(file)
  return mediaType && { mediaType, bytes: file, sha256: hash.digest('hex') }
}

/** Decodes into `target`, and returns what has been written. Returns undefined if the text is not canonical. */
function decode(base64: string, target: Buffer): Buffer | undefined {
  const bytes = target.subarray(0, target.write(base64, 'base64'))
  return isCanonical(base64, bytes) ? bytes : undefined
}

/**
 * Returns whether encoding the bytes would return the same text, without encoding megabytes. The decoder skips unknown
 * characters, so a matching length leaves few differences: the URL alphabet, which it also accepts, characters beyond
 * ASCII, of which it reads the low byte, and bits after the end.
 */
function isCanonical(base64: string, bytes: Buffer): boolean {
  if (base64 === '') return true
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
