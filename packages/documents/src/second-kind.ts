import type { MediaType } from './file-signature.ts'

/** What a file may be in addition to what its first bytes say. */
export type SecondKind = 'a PDF file' | 'an archive' | 'a web page or script' | 'a program'

type FileEnds = {
  bytes: number
  mediaType: MediaType
  /** The first bytes, at least 1024 if the file has that many. */
  head: Uint8Array
  /** The last bytes, as many as the end of an archive may have. */
  tail: Uint8Array
  /** The first bytes after the end of the picture or PDF. Empty if the end is not known. */
  afterEnd: Uint8Array
  /** The same up to the last byte, as far as `tail` contains it. */
  tailAfterEnd: Uint8Array
}

/** An archive's directory ends within this many bytes of the end: its record and the longest comment. */
export const archiveEndBytesMax = 22 + 0xffff
/** Readers of PDF look for its header in this many bytes. */
export const headBytes = 1024

const markup = /<(?:!doctype html|html|head|body|script|iframe|\?php)\b/i
const markupLine = /^\s*<(?:!doctype html|html|head|body|script|iframe|\?php)\b/im
const archiveHeads = ['PK\x03\x04', 'Rar!\x1a\x07', '7z\xbc\xaf\x27\x1c']
const programHeads = ['\x7fELF', '#!/', '#! /']

/**
 * Finds the second kind of a polyglot file. It checks what readers of that kind check: they look beyond the first byte.
 * Content of normal files is not a second kind: thumbnails, metadata, pictures inside a PDF, data that phones append to
 * photos.
 */
export function findSecondKind({
  bytes,
  mediaType,
  head,
  tail,
  afterEnd,
  tailAfterEnd,
}: FileEnds): SecondKind | undefined {
  const isPdf = mediaType === 'application/pdf'
  const start = latin1(head.subarray(0, headBytes))
  const behind = latin1(afterEnd)
  if (!isPdf && (start.includes('%PDF-') || behind.includes('%PDF-'))) return 'a PDF file'
  if (endsAsZip(tail, bytes) || archiveHeads.some((mark) => behind.includes(mark)))
    return 'an archive'
  if (startsProgram(behind) || isWindowsProgram(afterEnd)) return 'a program'
  if ((isPdf ? markupLine : markup).test(start) || isScript(head, mediaType)) {
    return 'a web page or script'
  }
  if (markup.test(behind) || markup.test(latin1(tailAfterEnd))) return 'a web page or script'
  return undefined
}

/**
 * Detects a picture whose first bytes are also a script. The sizes of the picture form a comment or a value in the
 * script.
 */
function isScript(head: Uint8Array, mediaType: MediaType): boolean {
  if (mediaType === 'image/gif') {
    return /^GIF8[79]a(?:\/\*|\s*=[\s\w'"`([{/!+-][\x20-\x7e\n\r]{2})/.test(
      latin1(head.subarray(0, 16)),
    )
  }
  // No genuine APP0 segment has the length 2F2A.
  return mediaType === 'image/jpeg' && latin1(head.subarray(2, 6)) === '\xff\xe0/*'
}

/** Returns whether readers of ZIP would find a directory from the end: its record exists and its numbers agree. */
function endsAsZip(tail: Uint8Array, fileBytes: number): boolean {
  const text = latin1(tail)
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength)
  for (
    let at = text.lastIndexOf('PK\x05\x06');
    at >= 0;
    at = text.lastIndexOf('PK\x05\x06', at - 1)
  ) {
    if (at + 22 <= tail.length) {
      const entriesHere = view.getUint16(at + 8, true)
      const entries = view.getUint16(at + 10, true)
      const directoryBytes = view.getUint32(at + 12, true)
      const directoryEnd = fileBytes - tail.length + at
      const isZip64 = directoryBytes === 0xffffffff
      const agrees =
        entries > 0 &&
        entriesHere === entries &&
        directoryBytes >= 46 &&
        (isZip64 || directoryBytes <= directoryEnd)
      if (agrees) return true
    }
    if (at === 0) break
  }
  return false
}

function startsProgram(behind: string): boolean {
  const start = behind.replaceAll('\0', ' ').trimStart()
  return programHeads.some((mark) => start.startsWith(mark))
}

/** Requires `MZ`, and `PE` where the header points, because two letters alone may be chance. */
function isWindowsProgram(bytes: Uint8Array): boolean {
  if (bytes.length < 64 || latin1(bytes.subarray(0, 2)) !== 'MZ') return false
  const at = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(60, true)
  return latin1(bytes.subarray(at, at + 4)) === 'PE\0\0'
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
