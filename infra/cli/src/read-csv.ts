import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { wrongUsage } from './failure.ts'

type Reading = {
  /** What the file is called in a Failure. */
  name: string
  rowCharactersMax: number
  skipsEmptyLines: boolean
}

/**
 * Yields the cells of each row of CSV (RFC 4180), whatever their number. Throws a Failure for unbalanced quotes and rows
 * that are too long. It does not quote the file.
 */
export async function* readCsv(
  input: AsyncIterable<Buffer>,
  { name, rowCharactersMax, skipsEmptyLines }: Reading,
): AsyncGenerator<string[]> {
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: skipsEmptyLines,
    max_record_size: rowCharactersMax,
  })
  const source = Readable.from(input)
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  try {
    yield* parser as AsyncIterable<string[]>
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const reason = error.code.replace(/^CSV_/, '').replaceAll('_', ' ').toLowerCase()
    throw wrongUsage(`${name} cannot be read as CSV in line ${String(error.lines)}: ${reason}`)
  } finally {
    source.destroy()
  }
}
