import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { longBase64Characters } from '@despatch/domain/print-job/long-base64'
import { kindNames } from './file-findings.ts'
import { detectMediaType, type MediaType } from './file-signature.ts'
import { startBytes, unprintableKind } from './unprintable-kind.ts'

export type InlineFile = { mediaType: MediaType; bytes: Uint8Array; sha256: string }

/** What the value of a custom parameter is. */
export type InlineValue =
  | { kind: 'text' }
  /** `isCanonical`: it is base64 as the specification has it, without anything that had to be ignored. */
  | { kind: 'file'; file: InlineFile; isCanonical: boolean }
  /** It looks like a file, and cannot be printed. `says`: a predicate, such as `is an HTML page, …`. */
  | { kind: 'unreadable'; says: string }
  /** Text, but so much base64 that it may be meant as a file. */
  | { kind: 'long-base64' }

/** The first base64 characters of each signature. Other text is ruled out with one comparison for each. */
const heads = ['JVBERi0', 'R0lGOD', 'iVBORw0KGg', '/9j/', 'SUkqA', 'SUkrA', 'TU0AK', 'Qk']
/** Decoding and hashing this many characters takes about a millisecond. */
const charactersPerTurn = 512 * 1024
/** Shorter signatures are also the beginning of words. */
const signatureBytesMin = 4

/**
 * Call it before decoding that many characters. It lets other work run first if too many were decoded since it last
 * did.
 */
type DecodingTurns = (characters: number) => Promise<void>

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
 * Returns what a custom parameter's value is. Spec: values that are base64 content with a PDF, GIF, PNG, JPEG, TIFF or
 * BMP signature are processed as files. Real senders also send data URLs, base64url, white space and percent-encoding,
 * and leave out the padding: these are files, too. Lets other work run while it decodes a large file or many files.
 */
export async function readInlineValue(
  value: string,
  takeTurn: DecodingTurns = startDecodingTurns(),
): Promise<InlineValue> {
  const file = heads.some((head) => value.startsWith(head))
    ? await decodeCanonical(value, takeTurn)
    : undefined
  return file ? { kind: 'file', file, isCanonical: true } : readLoosely(value, takeTurn)
}

/**
 * Returns the file if the value is canonical base64 of the standard alphabet. Line breaks are allowed. Otherwise returns
 * undefined.
 */
async function decodeCanonical(
  value: string,
  takeTurn: DecodingTurns,
): Promise<InlineFile | undefined> {
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
  return toFile({ bytes: file, sha256: hash.digest('hex') })
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

type Decoded = { bytes: Uint8Array; sha256: string }

function toFile({ bytes, sha256 }: Decoded): InlineFile | undefined {
  if (bytes.length < signatureBytesMin) return undefined
  const mediaType = detectMediaType(bytes)
  return mediaType && { mediaType, bytes, sha256 }
}

/** Reads a value that is not canonical base64 of a file. */
async function readLoosely(value: string, takeTurn: DecodingTurns): Promise<InlineValue> {
  const text = value.trimStart()
  const url = findDataUrl(text)
  const body = url ? text.slice(url.bodyAt) : text
  const start = startOfBase64(body)
  const kind = kindOf(start)
  if (!kind && !url) return readText(body, start, takeTurn)

  const isBase64 = !url || kind !== undefined || url.isBase64
  const decoded = await (isBase64 ? decodeLoosely : decodePercent)(body, takeTurn)
  const form = url ? 'a data: URL' : 'base64'
  if ('why' in decoded) {
    // Text may begin like a file that cannot be printed anyway.
    if (!url && !kind?.isPrintable) return { kind: 'text' }
    const what = kind ? `${kind.name} in ${form}` : `a file in ${form}`
    const says = `looks like ${what}, but cannot be decoded: ${decoded.why}. ${sendWhole}`
    return { kind: 'unreadable', says }
  }
  const file = toFile(decoded)
  if (file) return { kind: 'file', file, isCanonical: false }
  // a BMP whose header does not match the whole file
  if (!url && kind?.isPrintable) return { kind: 'text' }
  const what = unprintableKind(decoded.bytes.subarray(0, startBytes)) ?? 'a file of an unknown kind'
  const says = `is ${what} in ${form}, which cannot be printed (P103). ${sendWhole}`
  return { kind: 'unreadable', says }
}

const dataUrlHeadMax = 1_024

/** The media types of files, as far as data URLs are concerned. Text such as `data: n/a, none` has none of them. */
const mediaType =
  /^data:(?:application|audio|font|image|message|model|text|video)\/[\w.+-]+\s*[;,]/i

/**
 * Returns where the body of a data URL begins, percent-encoded or not. Text may begin with `data:` too, so it must have
 * a media type or `;base64`.
 */
function findDataUrl(text: string): { bodyAt: number; isBase64: boolean } | undefined {
  const found = /^data(?::|%3a)[^,]*?(?:,|%2c)/i.exec(text.slice(0, dataUrlHeadMax))
  if (!found) return undefined
  const head = percentDecode(found[0])
  const isBase64 = /;\s*base64\s*,$/i.test(head)
  if (!isBase64 && !mediaType.test(head)) return undefined
  return { bodyAt: found[0].length, isBase64 }
}

const sendWhole =
  'Send the whole PDF, GIF, PNG, JPEG, TIFF or BMP file in base64, with nothing before or after it.'

/** Characters of base64 for the first bytes, and some white space. */
const startCharacters = 512

/** Decodes what the value begins with, as far as it is base64. */
function startOfBase64(body: string): Buffer {
  const base64 = percentDecode(body.slice(0, startCharacters)).replaceAll(/\s+/g, '')
  const [run] = /^[\w+/-]*/.exec(base64)!
  return Buffer.from(run, 'base64').subarray(0, startBytes)
}

/** Returns what a value begins like. */
function kindOf(start: Buffer): { name: string; isPrintable: boolean } | undefined {
  if (start.length < signatureBytesMin) return undefined
  const mediaType = detectMediaType(start)
  // the fourth byte of a JPEG is a marker
  if (mediaType && (mediaType !== 'image/jpeg' || start[3]! >= 0xc0)) {
    return { name: `a ${kindNames[mediaType]} file`, isPrintable: true }
  }
  const name = unprintableKind(start)
  return name === undefined ? undefined : { name, isPrintable: false }
}

/** Returns whether a text is so long and so surely base64 that it may be meant as a file. */
async function readText(
  text: string,
  start: Buffer,
  takeTurn: DecodingTurns,
): Promise<InlineValue> {
  await takeTurn(text.length)
  const isLong = text.length >= longBase64Characters && start.length >= (startBytes * 2) / 3
  if (!isLong || !isMixed(text) || !hasLongRuns(text)) return { kind: 'text' }
  const decoded = await decodeLoosely(text, takeTurn)
  return { kind: 'why' in decoded ? 'text' : 'long-base64' }
}

/** Base64 of a file has capital and small letters and digits. Numbers and hexadecimal digits do not have all three. */
function isMixed(text: string): boolean {
  const some = text.slice(0, longBase64Characters)
  return /[A-Z]/.test(some) && /[a-z]/.test(some) && /[0-9]/.test(some)
}

/** Words are shorter than lines of base64. */
function hasLongRuns(text: string): boolean {
  const runs = text.slice(0, startCharacters).split(/\s+/)
  return runs.slice(0, -1).every((run) => run.length >= 40)
}

/**
 * Decodes base64 or base64url, percent-encoded or not. Ignores white space. Padding is optional. Returns why the text
 * cannot be decoded, without quoting it.
 */
async function decodeLoosely(
  text: string,
  takeTurn: DecodingTurns,
): Promise<Decoded | { why: string }> {
  if (mayHaveLostPlus(text.trimStart()))
    return { why: 'it has blanks, perhaps in place of the character +' }
  const bytes = Buffer.allocUnsafe(Math.ceil((text.length / 4) * 3))
  const hash = createHash('sha256')
  let length = 0
  let rest = ''
  let padding = 0
  for await (const part of unescapedParts(text, takeTurn)) {
    const base64 = /\s/.test(part) ? part.replaceAll(/\s+/g, '') : part
    const end = base64.indexOf('=')
    const characters = end === -1 ? base64 : base64.slice(0, end)
    const after = end === -1 ? '' : base64.slice(end)
    if (/[^\w+/-]/.test(characters)) return { why: 'it has characters that base64 does not have' }
    if ((padding > 0 && characters !== '') || /[^=]/.test(after)) {
      return { why: 'something follows its padding (=)' }
    }
    padding += after.length
    const groups = rest + characters
    const whole = groups.length - (groups.length % 4)
    rest = groups.slice(whole)
    const written = bytes.subarray(
      length,
      length + bytes.write(groups.slice(0, whole), length, 'base64'),
    )
    hash.update(written)
    length += written.length
  }
  if (padding > 0 && rest.length + padding !== 4) return { why: 'its end is missing or damaged' }
  const last = Buffer.from(rest, 'base64')
  const isWhole = last.toString('base64url') === rest.replaceAll('+', '-').replaceAll('/', '_')
  if (!isWhole) return { why: 'its end is missing' }
  if (length + last.length === 0) return { why: 'it is empty' }
  last.copy(bytes, length)
  hash.update(last)
  return { bytes: bytes.subarray(0, length + last.length), sha256: hash.digest('hex') }
}

/** Decodes the part of a data URL after the comma. */
async function decodePercent(
  text: string,
  takeTurn: DecodingTurns,
): Promise<Decoded | { why: string }> {
  const bytes = Buffer.allocUnsafe(text.length)
  const hash = createHash('sha256')
  let length = 0
  for await (const part of unescapedParts(text, takeTurn)) {
    if (/[^\0-\xff]/.test(part)) return { why: 'it has characters that a URL does not have' }
    const written = bytes.subarray(length, length + bytes.write(part, length, 'latin1'))
    hash.update(written)
    length += written.length
  }
  return { bytes: bytes.subarray(0, length), sha256: hash.digest('hex') }
}

/** Replacing an escape takes as long as decoding this many characters. */
const escapeCost = 16

/** Yields the text in parts, each in a turn, with its percent-encoded characters as what they mean. */
async function* unescapedParts(text: string, takeTurn: DecodingTurns): AsyncGenerator<string> {
  const cost = text.includes('%') ? escapeCost : 1
  const step = charactersPerTurn / cost
  let cut = ''
  for (let at = 0; at < text.length; at += step) {
    const part = cut + text.slice(at, at + step)
    await takeTurn(part.length * cost)
    const isLast = at + step >= text.length
    cut = cost === 1 || isLast ? '' : (/%[0-9a-f]?$/i.exec(part)?.[0] ?? '')
    yield cost === 1 ? part : percentDecode(part.slice(0, part.length - cut.length))
  }
}

function percentDecode(text: string): string {
  if (!text.includes('%')) return text
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)))
}

/** Lines of base64 have 64 or 76 characters. A text with many more blanks than that is not base64. */
const lineCharactersMin = 20
/** More blanks than these, at no regular distance, are no slip of a person. */
const strayBlanksMax = 64

/**
 * Returns true if the blanks of a text may be what a form made of the character +, so that the text without them would
 * be another file. They are not if they separate lines of the same length, if the text has a +, if they are beside line
 * breaks, or if the text would be too long or too short with them.
 */
function mayHaveLostPlus(text: string): boolean {
  const { length } = text.trimEnd()
  let at = text.indexOf(' ')
  if (at === -1 || at >= length || notLost.some((character) => text.includes(character))) {
    return false
  }
  const lineLength = at
  let areLines = lineLength >= lineCharactersMin && lineLength % 4 === 0
  let [runs, blanks, end] = [0, 0, 0]
  for (; at !== -1 && at < length; at = text.indexOf(' ', end)) {
    const lineAt = end
    for (end = at; text[end] === ' '; ) end += 1
    runs += 1
    if (runs > length / lineCharactersMin) return true
    if (isLineBreak(text[at - 1]) || isLineBreak(text[end])) continue
    blanks += end - at
    areLines &&= at - lineAt === lineLength
    if (!areLines && blanks > strayBlanksMax) return true
  }
  if (blanks === 0 || (areLines && length - end <= lineLength)) return false
  const characters = text.slice(0, length).replaceAll(/[\r\n]+/g, '').length
  return text[length - 1] === '=' ? characters % 4 === 0 : characters % 4 !== 1
}

/** Only base64 whose every + was lost has none of these. */
const notLost = ['+', '-', '_', '%2B', '%2b']

function isLineBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r'
}
