import { expect, test } from 'vitest'
import { requireUtf8 } from './require-utf8.ts'

async function read(...pieces: Buffer[]): Promise<string> {
  async function* source() {
    yield* pieces
  }
  const read: Buffer[] = []
  for await (const piece of requireUtf8(source(), { name: 'people.csv', lineBytesMax: 100 })) {
    read.push(piece)
  }
  return Buffer.concat(read).toString()
}

test('UTF-8 is passed on, also if a character is in two pieces', async () => {
  const text = Buffer.from('\ufeffname\nŵ\nlast é')

  for (let at = 0; at <= text.length; at += 1) {
    expect(await read(text.subarray(0, at), text.subarray(at))).toBe(text.toString())
  }
})

const utf16 = /^people\.csv is UTF-16, not UTF-8/
const windows = (line: number) => new RegExp(`is not UTF-8: line ${line} has other bytes`)

test.each<[what: string, bytes: Buffer, message: RegExp]>([
  ['UTF-16 with its mark', Buffer.from('\ufeffname\n', 'utf16le'), utf16],
  ['UTF-16 without it', Buffer.from('name\n', 'utf16le'), utf16],
  ['big-endian UTF-16', Buffer.from('\ufeffname\n', 'utf16le').swap16(), utf16],
  ['Windows-1252 in the first line', Buffer.from('é\n', 'latin1'), windows(1)],
  ['Windows-1252 in a later line', Buffer.from('a\nb\né\nd\n', 'latin1'), windows(3)],
  ['Windows-1252 without a line end', Buffer.from('a\né', 'latin1'), windows(2)],
  ['a line without an end', Buffer.from(`a\n${'x'.repeat(101)}`), /line 2 is too long/],
])('%s is refused', async (_, bytes, message) => {
  const middle = Math.ceil(bytes.length / 2)

  await expect(read(bytes)).rejects.toThrow(message)
  await expect(read(bytes.subarray(0, middle), bytes.subarray(middle))).rejects.toThrow(message)
})
