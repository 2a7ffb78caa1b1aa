import { createReadStream, type ReadStream } from 'node:fs'
import type {
  LoadedRowsResponse,
  RecordSetResponse,
  RejectResponse,
} from '@despatch/contracts/administration/record-set'
import type { RecordKind } from '@despatch/contracts/records/record-kinds'
import { readAhead } from '@despatch/store/read-ahead'
import type { RowProgress } from '../row-progress.ts'
import type { Session } from '../session.ts'
import type { SourceReader } from './chunks.ts'
import { type Chunk, chunksOf, linesOf } from './chunks.ts'
import { csvSource } from './csv-source.ts'
import { knownRejects } from './known-rejects.ts'
import { ndjsonSource } from './ndjson-source.ts'
import type { RejectFile } from './reject-file.ts'
import { readBytes, type SourceFile, type SourceFormat } from './source-file.ts'

export type Loading = {
  session: Session
  set: RecordSetResponse
  source: SourceFile
  format: SourceFormat
  rejectFile: RejectFile
  progress: RowProgress
  signal: AbortSignal
  /** Called after each chunk. */
  onRows(rowsRead: number): void
}

export type LoadedSource = { rowsRead: number; rowsRejected: number }

/** Sends the rows of a source that a set does not have yet, and writes all rejects, including earlier ones. */
export async function loadSource(loading: Loading): Promise<LoadedSource> {
  const { session, set, source, format, rejectFile, progress, signal, onRows } = loading
  const file = createReadStream(source.path, { highWaterMark: readBytes, signal })
  const reader = openSource(file, format, set.kind)
  const before = knownRejects(session, set.recordSetId)
  const loaded = { rowsRead: 0, rowsRejected: 0 }

  for await (const chunk of readAhead(chunksOf(reader.rows))) {
    const { fromRow, rows } = chunk
    const lastRow = fromRow + rows.length
    const rejects = lastRow <= set.rowsRead ? await before(lastRow) : await send(loading, chunk)
    await rejectFile.add(
      rejects.map(({ row, reasons }) => ({ place: row, reasons, row: rows[row - fromRow - 1]! })),
      reader.columns(),
    )
    loaded.rowsRead = lastRow
    loaded.rowsRejected += rejects.length
    onRows(lastRow)
    progress.show({ rows: lastRow, rejected: loaded.rowsRejected, done: file.bytesRead })
    signal.throwIfAborted()
  }
  return loaded
}

async function send({ session, set, signal }: Loading, chunk: Chunk): Promise<RejectResponse[]> {
  const path = `/record-sets/${set.recordSetId}/rows?fromRow=${chunk.fromRow}`
  const lines = linesOf(chunk.rows)
  const { rejected } = await session.sendLines<LoadedRowsResponse>(path, lines, signal)
  return rejected
}

/**
 * Throws a Failure if the header or the first rows of a source cannot be read. Call it before any work on the source.
 */
export async function tryToRead(
  path: string,
  format: SourceFormat,
  kind: RecordKind,
): Promise<void> {
  const file = createReadStream(path)
  for await (const _ of openSource(file, format, kind).rows) break
  file.destroy()
}

function openSource(file: ReadStream, format: SourceFormat, kind: RecordKind): SourceReader {
  return format === 'csv' ? csvSource(file, kind) : ndjsonSource(file)
}
