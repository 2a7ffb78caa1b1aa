import { isUtf8 } from 'node:buffer'
import { wrongUsage } from '../failure.ts'

const newline = 0x0a
const howToSave = 'Save it as CSV in UTF-8'

/**
 * Passes the bytes of a text on. Throws a Failure if they are not UTF-8, such as those that a spreadsheet writes in
 * UTF-16 or Windows-1252: names would be printed with wrong letters.
 */
export async function* requireUtf8(
  input: AsyncIterable<Buffer>,
  { name, lineBytesMax }: { name: string; lineBytesMax: number },
): AsyncGenerator<Buffer> {
  let begun: Buffer = Buffer.alloc(0)
  let linesBefore = 0
  for await (const piece of input) {
    const block: Buffer = begun.length > 0 ? Buffer.concat([begun, piece]) : piece
    if (linesBefore === 0) refuseUtf16(block, name)
    // no byte of a longer character is a line feed
    const end = block.lastIndexOf(newline) + 1
    refuseOtherThanUtf8(block.subarray(0, end), linesBefore, name)
    linesBefore += linesIn(block.subarray(0, end))
    begun = block.subarray(end)
    if (begun.length > lineBytesMax) {
      throw wrongUsage(`${name} cannot be read as CSV: line ${linesBefore + 1} is too long`)
    }
    yield piece
  }
  refuseOtherThanUtf8(begun, linesBefore, name)
}

/** With a byte order mark, or with the zero byte that half of the characters of the header have. */
function refuseUtf16(start: Buffer, name: string): void {
  const isMarked = ['fffe', 'feff'].includes(start.subarray(0, 2).toString('hex'))
  if (isMarked || start.includes(0)) throw wrongUsage(`${name} is UTF-16, not UTF-8. ${howToSave}`)
}

function refuseOtherThanUtf8(lines: Buffer, linesBefore: number, name: string): void {
  if (isUtf8(lines)) return
  let start = 0
  let line = linesBefore + 1
  for (;;) {
    const end = lines.indexOf(newline, start)
    if (end === -1 || !isUtf8(lines.subarray(start, end))) break
    start = end + 1
    line += 1
  }
  throw wrongUsage(
    `${name} is not UTF-8: line ${line} has other bytes, such as those of Windows-1252. ${howToSave}`,
  )
}

function linesIn(block: Buffer): number {
  let lines = 0
  for (let at = block.indexOf(newline); at !== -1; at = block.indexOf(newline, at + 1)) lines += 1
  return lines
}
