import { expect, test } from 'vitest'
import { ndjsonSource } from './ndjson-source.ts'

async function linesOf(text: string | Buffer, pieceBytes: number): Promise<string[]> {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      yield bytes.subarray(start, start + pieceBytes)
    }
  }
  const lines: string[] = []
  for await (const rows of ndjsonSource(pieces()).rows) {
    lines.push(...rows.map(({ line }) => line.toString()))
  }
  return lines
}

test.for<[what: string, text: string, lines: string[]]>([
  ['lines', '{"a":1}\n{"a":2}\n', ['{"a":1}', '{"a":2}']],
  ['no end of the last line', '{}\n{"a":"é"}', ['{}', '{"a":"é"}']],
  ['CRLF', '{}\r\n{"a":2}\r\n', ['{}', '{"a":2}']],
  ['a byte order mark', '\ufeff{}\n{}', ['{}', '{}']],
  ['lines without anything on them', '\n{}\n \t\n\r\n{}\n\n', ['{}', '{}']],
  ['nothing', '', []],
])('%s, however it comes in', async ([, text, lines]) => {
  for (const pieceBytes of [1, 2, 3, 5, 1_000]) {
    expect(await linesOf(text, pieceBytes)).toEqual(lines)
  }
})

test('of a line that is too long, so much is kept as shows that it is', async () => {
  const lines = await linesOf(`{}\n"${'x'.repeat(1_000_000)}"\n{"a":2}\n`, 100_000)

  expect(lines.map(({ length }) => length)).toEqual([2, 131_073, 7])
})
