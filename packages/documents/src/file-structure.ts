import { startWalk, type Walk, type Walker } from './byte-walk.ts'
import { detectMediaType, type MediaType } from './file-signature.ts'
import { walkBmp, walkGif, walkJpeg, walkPng } from './image-walks.ts'
import { archiveEndBytesMax, findSecondKind, headBytes, type SecondKind } from './second-kind.ts'
import { isTiffWithin } from './tiff-extent.ts'

export type FileStructure = {
  bytes: number
  /** Determined by the first bytes alone, never by the declared type. Undefined if the kind is not allowed. */
  mediaType: MediaType | undefined
  /** True if the file has the complete structure of its signature. */
  isWhole: boolean
  alsoIs: SecondKind | undefined
}

/** Reads the structure of a file from its bytes as they arrive. Buffers only its first and last bytes. */
type StructureReader = {
  push(chunk: Uint8Array): void
  end(): FileStructure
}

const walks: Partial<Record<MediaType, () => Walk>> = {
  'image/gif': walkGif,
  'image/png': walkPng,
  'image/jpeg': walkJpeg,
  'image/bmp': walkBmp,
}
const nothing = new Uint8Array(0)
/** Readers look for the end mark in this many bytes at the end. */
const pdfEndBytesMax = 1024

/** Starts to read a file of `fileBytes` bytes. */
export function startStructureReader(fileBytes: number): StructureReader {
  const head = keepFirst(headBytes)
  const tail = keepLast(archiveEndBytesMax)
  const afterEnd = keepFirst(headBytes)
  let bytes = 0
  let bytesAfterEnd = 0
  let mediaType: MediaType | undefined
  let walker: Walker | undefined
  let isKnown = false

  const walk = (chunk: Uint8Array) => {
    if (!walker) return
    const rest = walker.push(chunk)
    afterEnd.push(rest)
    bytesAfterEnd += rest.length
  }
  const recognise = () => {
    isKnown = true
    mediaType = detectMediaType(head.bytes(), fileBytes)
    const start = mediaType && walks[mediaType]
    if (start) walker = startWalk(start())
  }

  return {
    push: (chunk) => {
      bytes += chunk.length
      tail.push(chunk)
      if (isKnown) return walk(chunk)
      const rest = head.push(chunk)
      if (bytes < headBytes) return
      recognise()
      walk(head.bytes())
      walk(rest)
    },
    end: () => {
      if (!isKnown) {
        recognise()
        walk(head.bytes())
      }
      if (!mediaType) return { bytes, mediaType, isWhole: false, alsoIs: undefined }
      const ends = { bytes, mediaType, head: head.bytes(), tail: tail.bytes() }
      const isPdf = mediaType === 'application/pdf'
      const pdfEnd = isPdf ? endOfPdf(ends.tail) : undefined
      const behind = pdfEnd?.behind ?? {
        afterEnd: afterEnd.bytes(),
        tailAfterEnd: ends.tail.subarray(Math.max(0, ends.tail.length - bytesAfterEnd)),
      }
      const isWhole = isPdf ? pdfEnd !== undefined : (walker?.isWhole() ?? isTiffWhole(ends))
      return { bytes, mediaType, isWhole, alsoIs: findSecondKind({ ...ends, ...behind }) }
    },
  }

  function isTiffWhole(ends: { head: Uint8Array; tail: Uint8Array }): boolean {
    if (mediaType !== 'image/tiff') return false
    const tailAt = bytes - ends.tail.length
    return isTiffWithin(bytes, (offset, length) => {
      const end = offset + length
      if (end <= ends.head.length) return ends.head.subarray(offset, end)
      return offset >= tailAt && end <= bytes
        ? ends.tail.subarray(offset - tailAt, end - tailAt)
        : undefined
    })
  }
}

/** Reads the structure of a file in memory. */
export function readStructure(bytes: Uint8Array): FileStructure {
  const reader = startStructureReader(bytes.length)
  reader.push(bytes)
  return reader.end()
}

/**
 * Returns where a PDF ends: after its end mark, preceded by the offset of its index. Returns undefined if it is
 * truncated.
 */
function endOfPdf(tail: Uint8Array) {
  const text = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength)
  const markAt = text.lastIndexOf('%%EOF')
  const contentEnd = tail.findLastIndex((byte) => byte !== 0) + 1
  if (markAt < contentEnd - pdfEndBytesMax || markAt < 0) return undefined
  if (text.lastIndexOf('startxref', markAt) < 0) return undefined
  const behind = tail.subarray(markAt + 5)
  return { behind: { afterEnd: behind.subarray(0, headBytes), tailAfterEnd: behind } }
}

/** Keeps the first bytes of what is pushed. A push returns the bytes after them. */
function keepFirst(bytesMax: number) {
  let kept = nothing
  return {
    push: (chunk: Uint8Array): Uint8Array => {
      const missing = bytesMax - kept.length
      if (missing > 0 && chunk.length > 0) kept = joined([kept, chunk.subarray(0, missing)])
      return chunk.subarray(Math.max(missing, 0))
    },
    bytes: () => kept,
  }
}

/** Keeps the last bytes of what is pushed. */
function keepLast(bytesMax: number) {
  let chunks: Uint8Array[] = []
  let held = 0
  return {
    push: (chunk: Uint8Array) => {
      chunks.push(chunk)
      held += chunk.length
      while (held - chunks[0]!.length >= bytesMax) held -= chunks.shift()!.length
    },
    bytes: (): Uint8Array => {
      const all = joined(chunks)
      chunks = [all]
      return all.subarray(Math.max(0, all.length - bytesMax))
    },
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
