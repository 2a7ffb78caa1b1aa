import { rowBytesMax } from '@despatch/contracts/records/parse-row'
import type { SourceReader, SourceRow } from './chunks.ts'

const newline = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
// One byte more than the limit, which is enough to report the row as too long.
const keptBytesMax = rowBytesMax + 1

/** Reads lines of JSON. Skips blank lines, and truncates a line that is too long. */
export function ndjsonSource(input: AsyncIterable<Buffer>): SourceReader {
  return { rows: readRows(input), columns: () => ['original'] }
}

async function* readRows(input: AsyncIterable<Buffer>): AsyncGenerator<SourceRow[]> {
  let begun: Buffer = Buffer.alloc(0)
  let isStart = true
  for await (const piece of input) {
    let block = begun.length > 0 ? Buffer.concat([begun, piece]) : piece
    if (isStart && block.length >= byteOrderMark.length) {
      if (block.subarray(0, byteOrderMark.length).equals(byteOrderMark)) {
        block = block.subarray(byteOrderMark.length)
      }
      isStart = false
    }
    const end = block.lastIndexOf(newline)
    if (end >= 0) yield rowsOf(block.subarray(0, end))
    // Bytes beyond the limit are dropped, however long the line gets.
    begun = Buffer.from(block.subarray(end + 1).subarray(0, keptBytesMax))
  }
  yield rowsOf(begun)
}

function rowsOf(block: Buffer): SourceRow[] {
  const rows: SourceRow[] = []
  for (let start = 0; start <= block.length; ) {
    const found = block.indexOf(newline, start)
    const end = found === -1 ? block.length : found
    const line = withoutEnd(block.subarray(start, Math.min(end, start + keptBytesMax)))
    if (!isBlank(line)) rows.push({ line, original: [line] })
    start = end + 1
  }
  return rows
}

function withoutEnd(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line[0]! <= space && line.toString('latin1').trim() === '')
}
