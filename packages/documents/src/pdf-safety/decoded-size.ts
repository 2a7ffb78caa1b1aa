import { pipeline } from 'node:stream/promises'
import { createInflate, createInflateRaw, inflateSync } from 'node:zlib'
import { decodeLzw } from './decode-lzw.ts'
import { decodeAscii85, decodeAsciiHex, decodeRunLength } from './decode-simple.ts'
import { flateWindow, isCutShort, isTooLong, withFinalBlock } from './flate.ts'
import { damaged, UnsafePdf } from './unsafe-pdf.ts'

export type Filter = { name: string; earlyChange: boolean }

type Decoder = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

/** Smaller streams are decoded in one call, which is much faster for the many small streams of most files. */
const inOneGo = { compressedBytesMax: 128 * 1024, decodedBytesMax: 16 * 1024 * 1024 }
const chunkBytes = 64 * 1024
const broken = 'The PDF is damaged: a part of it cannot be decoded.'

/** Short names are meant for images inside page content, but some readers accept them anywhere. */
const decoders: Record<string, 'flate' | 'end' | ((filter: Filter) => Decoder)> = {
  FlateDecode: 'flate',
  Fl: 'flate',
  LZWDecode:
    ({ earlyChange }) =>
    (source) =>
      decodeLzw(source, earlyChange ? 1 : 0),
  LZW:
    ({ earlyChange }) =>
    (source) =>
      decodeLzw(source, earlyChange ? 1 : 0),
  RunLengthDecode: () => decodeRunLength,
  RL: () => decodeRunLength,
  ASCII85Decode: () => decodeAscii85,
  A85: () => decodeAscii85,
  ASCIIHexDecode: () => decodeAsciiHex,
  AHx: () => decodeAsciiHex,
  // Images. Their size is in their dictionary.
  DCTDecode: 'end',
  DCT: 'end',
  JPXDecode: 'end',
  CCITTFaxDecode: 'end',
  CCF: 'end',
  JBIG2Decode: 'end',
}

/**
 * Returns to how many bytes a stream decodes, including the output between two filters. Keeps at most 16 MiB of it in
 * memory at a time. Throws `tooLarge()` beyond the limit, and UnsafePdf if it does not decode.
 */
export async function measureDecoded({
  contents,
  filters,
  bytesMax,
  tooLarge,
}: {
  contents: Uint8Array
  filters: readonly Filter[]
  bytesMax: number
  tooLarge: () => Error
}): Promise<number> {
  const picture = filters.findIndex(({ name }) => decoders[name] === 'end')
  if (picture >= 0 && picture !== filters.length - 1) throw damaged(broken)
  const used = picture < 0 ? filters : filters.slice(0, picture)
  if (contents.length > bytesMax) throw tooLarge()
  if (used.length === 0 || contents.length === 0) return contents.length

  const only = used.length === 1 && decoders[used[0]!.name] === 'flate'
  try {
    const atOnce = only ? measureAtOnce(contents, bytesMax) : undefined
    return atOnce ?? (await measureInSteps({ contents, filters: used, bytesMax, tooLarge }))
  } catch (error) {
    if (error instanceof UnsafePdf) throw error
    // Only the checksum after the data may be cut off, by an end of line that is not one, or be left out.
    if (!only || !isCutShort(error)) throw damaged(broken)
    return measureWithoutCheckSum({ contents, bytesMax, tooLarge })
  }
}

/** Returns undefined if the stream must be decoded in steps. */
function measureAtOnce(contents: Uint8Array, bytesMax: number): number | undefined {
  if (contents.length > inOneGo.compressedBytesMax) return undefined
  try {
    const maxOutputLength = Math.min(inOneGo.decodedBytesMax, Math.max(1, bytesMax))
    const chunkSize = chunkSizeFor(contents)
    return inflateSync(contents, { ...flateWindow, maxOutputLength, chunkSize }).length
  } catch (error) {
    if (isTooLong(error)) return undefined
    throw error
  }
}

function chunkSizeFor({ length }: Uint8Array): number {
  return Math.min(chunkBytes, Math.max(1024, 4 * length))
}

async function measureInSteps({
  contents,
  filters,
  ...limit
}: {
  contents: Uint8Array
  filters: readonly Filter[]
  bytesMax: number
  tooLarge: () => Error
}): Promise<number> {
  const counter = countUpTo(limit)
  const steps = filters.flatMap((filter): unknown[] => {
    const decoder = decoders[filter.name]
    if (decoder === 'flate')
      return [createInflate({ ...flateWindow, chunkSize: chunkBytes }), counter.count]
    if (typeof decoder !== 'function') throw damaged(broken)
    return [decoder(filter), counter.count]
  })
  const run = pipeline as (...steps: unknown[]) => Promise<void>
  await run(slicesOf(contents), ...steps, discard)
  return counter.total()
}

async function measureWithoutCheckSum({
  contents,
  ...limit
}: {
  contents: Uint8Array
  bytesMax: number
  tooLarge: () => Error
}): Promise<number> {
  const counter = countUpTo(limit)
  try {
    await pipeline(
      slicesOf(withFinalBlock(contents).subarray(2)),
      createInflateRaw({ ...flateWindow, chunkSize: chunkBytes }),
      counter.count,
      discard,
    )
    return counter.total()
  } catch (error) {
    throw error instanceof UnsafePdf ? error : damaged(broken)
  }
}

/** Slices, so that a filter between others receives little data at a time. */
function* slicesOf(contents: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < contents.length; at += chunkBytes) {
    yield contents.subarray(at, at + chunkBytes)
  }
}

function countUpTo({ bytesMax, tooLarge }: { bytesMax: number; tooLarge: () => Error }) {
  let total = 0
  return {
    async *count(source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        total += chunk.length
        if (total > bytesMax) throw tooLarge()
        yield chunk
      }
    },
    total: () => total,
  }
}

async function discard(source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of source);
}
