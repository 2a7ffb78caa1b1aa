/** Rows that are sent in one request. */
export type Chunk = { fromRow: number; rows: readonly SourceRow[] }

const chunkRowsMax = 5_000
const chunkBytesMax = 6 * 1024 * 1024

/** Splits rows into chunks of limited rows and bytes. */
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

/** Returns the body for rows: one line each. */
export function linesOf(rows: readonly SourceRow[]): Buffer {
  return Buffer.concat(rows.flatMap(({ line }) => [line, lineEnd]))
}

/** A row of a source, ready to send. */
export type SourceRow = {
  /** One line of JSON, without its line end. */
  line: Buffer
  /** As in the source, for the file of rejects. */
  original: readonly (string | Buffer)[]
  /** A violation that only the reader of the source can detect. */
  fault?: string
}

/** Reader of a source: its rows, a few at a time, and the column names of `original`. */
export type SourceReader = { rows: AsyncIterable<SourceRow[]>; columns(): readonly string[] }
