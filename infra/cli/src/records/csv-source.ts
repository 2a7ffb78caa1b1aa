import { rowBytesMax, rowJsonLimits } from '@despatch/contracts/records/parse-row'
import {
  type RecordColumn,
  recordColumns,
  requiredObjects,
} from '@despatch/contracts/records/record-columns'
import type { RecordKind } from '@despatch/contracts/records/record-kinds'
import { parseJson } from '@despatch/domain/json/parse-json'
import { wrongUsage } from '../failure.ts'
import { readCsv } from '../read-csv.ts'
import type { SourceReader, SourceRow } from './chunks.ts'

const rowsPerYield = 500
/** Columns of a file of rejects, which can be corrected and imported directly. */
const ignoredColumns = ['row', 'reasons']

/**
 * Reads CSV whose header names members by their dotted paths. An empty cell is an absent member; a member that is not
 * text is parsed as JSON. Throws a Failure for a wrong header and for unbalanced quotes.
 */
export function csvSource(input: AsyncIterable<Buffer>, kind: RecordKind): SourceReader {
  let header: readonly string[] = []
  const rows = readRows(input, kind, (names) => {
    header = names
  })
  return { rows, columns: () => header }
}

async function* readRows(
  input: AsyncIterable<Buffer>,
  kind: RecordKind,
  onHeader: (names: readonly string[]) => void,
): AsyncGenerator<SourceRow[]> {
  let toRow: ((cells: readonly string[]) => SourceRow) | undefined
  let rows: SourceRow[] = []
  for await (const cells of readCsv(input, {
    name: 'the source',
    rowCharactersMax: 4 * rowBytesMax,
    skipsEmptyLines: true,
  })) {
    if (toRow) {
      rows.push(toRow(cells))
    } else {
      toRow = rowMaker(cells, kind)
      onHeader(cells.filter((name) => !ignoredColumns.includes(name)))
    }
    if (rows.length < rowsPerYield) continue
    yield rows
    rows = []
  }
  if (!toRow) throw wrongUsage('the source has no header')
  yield rows
}

/**
 * Returns the function that makes a row of the cells below this header. Throws a Failure that names every wrong column.
 */
export function rowMaker(
  header: readonly string[],
  kind: RecordKind,
): (cells: readonly string[]) => SourceRow {
  const known = new Map(recordColumns(kind).map((column) => [column.path, column]))
  refuseWrongHeader(header, [...known.values()])
  const columns = header.map((name) => known.get(name))
  const objects = requiredObjects(kind)

  return (cells) => {
    const original = cells.filter((_, index) => !ignoredColumns.includes(header[index] ?? ''))
    if (cells.length !== header.length) {
      const fault = `row has ${cells.length} cells and the header ${header.length}`
      // Sent as null, which is not a valid row, so that it is rejected at its place.
      return { line: Buffer.from('null'), original, fault }
    }
    const row: Record<string, unknown> = {}
    for (const name of objects) row[name] = {}
    columns.forEach((column, index) => {
      const cell = cells[index]!
      if (column && cell !== '') setMember(row, column, cell)
    })
    return { line: Buffer.from(JSON.stringify(row)), original }
  }
}

function setMember(
  row: Record<string, unknown>,
  { path, holds }: RecordColumn,
  cell: string,
): void {
  const names = path.split('.')
  let parent = row
  for (const name of names.slice(0, -1)) {
    parent[name] ??= {}
    parent = parent[name] as Record<string, unknown>
  }
  parent[names.at(-1)!] = holds === 'text' ? cell : jsonOf(cell)
}

/** A cell that is not JSON or repeats a member stays text, so it is rejected with the path of the member. */
function jsonOf(cell: string): unknown {
  const parsed = parseJson(Buffer.from(cell), rowJsonLimits)
  return parsed.kind === 'value' ? parsed.value : cell
}

function refuseWrongHeader(header: readonly string[], known: readonly RecordColumn[]): void {
  const paths = [...known.map(({ path }) => path), ...ignoredColumns]
  const unknown = header.filter((name) => !paths.includes(name))
  const repeated = header.filter((name, index) => header.indexOf(name) !== index)
  const missing = known.filter(({ path, isRequired }) => isRequired && !header.includes(path))
  const faults = [
    ...unknown.map((name) => `unknown column ${JSON.stringify(name.slice(0, 64))}`),
    ...repeated.map((name) => `duplicate column ${name}`),
    ...missing.map(({ path }) => `missing column ${path}`),
  ]
  if (faults.length === 0) return
  throw wrongUsage(`the header is not valid:\n          ${faults.join('\n          ')}`)
}
