import { expect, test } from 'vitest'
import { chunksOf, linesOf } from './chunks.ts'

const row = (line: string) => ({ line: Buffer.from(line), original: [line] })

async function cut(parts: string[][], limits: { rowsMax?: number; bytesMax?: number }) {
  async function* source() {
    for (const part of parts) yield part.map(row)
  }
  const chunks: [number, string][] = []
  for await (const { fromRow, rows } of chunksOf(source(), limits)) {
    chunks.push([fromRow, linesOf(rows).toString()])
  }
  return chunks
}

test('chunks have no more rows than they may, whatever parts the rows come in', async () => {
  expect(await cut([['1', '2', '3'], [], ['4'], ['5']], { rowsMax: 2 })).toEqual([
    [0, '1\n2\n'],
    [2, '3\n4\n'],
    [4, '5\n'],
  ])
})

test('chunks have no more bytes than they may, except for a row that has more alone', async () => {
  expect(await cut([['aa', 'bb', 'cccccccccc', 'd']], { bytesMax: 6 })).toEqual([
    [0, 'aa\nbb\n'],
    [2, 'cccccccccc\n'],
    [3, 'd\n'],
  ])
})

test('no row, no chunk', async () => {
  expect(await cut([[], []], {})).toEqual([])
})
