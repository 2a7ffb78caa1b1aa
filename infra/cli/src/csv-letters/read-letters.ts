import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { wrongUsage } from '../failure.ts'
import { readCsv } from '../read-csv.ts'
import { readBytes } from '../records/source-file.ts'
import { type ReadRow, rowReader } from './letter-columns.ts'
import { requireUtf8 } from './require-utf8.ts'

/** `row` is its number in a spreadsheet, where the header is row 1. */
export type FileRow = ReadRow & { row: number }

/** A letter with a file in base64 is longer than a cell of a spreadsheet may be. */
const rowBytesMax = 16 * 1024 * 1024

/**
 * Reads the rows of a file, one after the other. Skips rows without a value. Throws a Failure if the file is not CSV in
 * UTF-8, or its header is not valid.
 */
export async function* readLetters(path: string, signal: AbortSignal): AsyncGenerator<FileRow> {
  const name = basename(path)
  const file = createReadStream(path, { highWaterMark: readBytes, signal })
  const text = requireUtf8(file, { name, lineBytesMax: rowBytesMax })
  let read: ((cells: readonly string[]) => ReadRow) | undefined
  let row = 0
  for await (const cells of readCsv(text, {
    name,
    rowCharactersMax: rowBytesMax,
    skipsEmptyLines: false,
  })) {
    row += 1
    if (!read) read = rowReader(cells)
    else if (cells.some((cell) => cell.trim() !== '')) yield { ...read(cells), row }
  }
  if (!read) throw wrongUsage(`${name} has no header`)
}
