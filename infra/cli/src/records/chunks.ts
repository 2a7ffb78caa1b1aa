import type { SourceRow } from './source-row.ts'

/** Rows that are sent at once. */
export type Chunk = { fromRow: number; rows: readonly SourceRow[] }

export const chunkRowsMax = 5_000
export const chunkBytesMax = 6 * 1024 * 1024

/** Cuts rows into chunks that are neither long nor large. */
export async function* chunksOf(
  source: AsyncIterable<readonly SourceRow[]>,
  { rowsMax = chunkRowsMax, bytesMax = chunkBytesMax } = {},
): AsyncGenerator<Chunk> {
  let fromRow = 0
  let rows: SourceRow[] = []
  let bytes = 0
  for await (const some of source) {
    for (const row of some) {
      const rowBytes = row.line.length + 1
      if (rows.length > 0 && (rows.length >= rowsMax || bytes + rowBytes > bytesMax)) {
        yield { fromRow, rows }
        fromRow += rows.length
        rows = []
        bytes = 0
      }
      rows.push(row)
      bytes += rowBytes
    }
  }
  if (rows.length > 0) yield { fromRow, rows }
}

const lineEnd = Buffer.from('\n')

/** What is sent of rows: a line for each. */
export function linesOf(rows: readonly SourceRow[]): Buffer {
  return Buffer.concat(rows.flatMap(({ line }) => [line, lineEnd]))
}

/** The same values in the same order; the next one is made ready while one is in use. */
export async function* oneAhead<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
  const iterator = values[Symbol.asyncIterator]()
  let next = begin(iterator)
  try {
    for (;;) {
      const result = await next
      if (result.done) return
      next = begin(iterator)
      yield result.value
    }
  } finally {
    await iterator.return?.()
  }
}

function begin<Value>(iterator: AsyncIterator<Value>): Promise<IteratorResult<Value>> {
  const next = iterator.next()
  // it is awaited later, or not at all when the use of the one before fails
  next.catch(() => {})
  return next
}
