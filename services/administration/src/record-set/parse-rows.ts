import { setImmediate as nextTurn } from 'node:timers/promises'
import { driverRecordSchema } from '@despatch/contracts/records/driver-record'
import { type ParsedRow, parseRow } from '@despatch/contracts/records/parse-row'
import type { RecordKind } from '@despatch/contracts/records/record-kinds'
import { vehicleRecordSchema } from '@despatch/contracts/records/vehicle-record'
import { driverLoadRow } from '@despatch/store/record-set/driver-load-row'
import type { LoadRow } from '@despatch/store/record-set/load'
import { vehicleLoadRow } from '@despatch/store/record-set/vehicle-load-row'

const rowsPerTurn = 50
const rowsPerPart = 200
const newline = 0x0a

/**
 * Parses lines of JSON as rows of a kind, and yields them in parts of 200. Skips empty lines. In between, it lets other
 * requests and the storing of the previous part run.
 */
export async function* parseRows(body: Buffer, kind: RecordKind): AsyncGenerator<LoadRow[]> {
  let rows: LoadRow[] = []
  for (const line of linesOf(body)) {
    rows.push(parsers[kind](line))
    if (rows.length % rowsPerTurn === 0) await nextTurn()
    if (rows.length < rowsPerPart) continue
    yield rows
    rows = []
  }
  yield rows
}

const parsers: Record<RecordKind, (line: Buffer) => LoadRow> = {
  driver: (line) => loadRowOf(parseRow(line, driverRecordSchema), driverLoadRow),
  vehicle: (line) => loadRowOf(parseRow(line, vehicleRecordSchema), vehicleLoadRow),
}

function loadRowOf<Row>(parsed: ParsedRow<Row>, toLoadRow: (row: Row) => LoadRow): LoadRow {
  return parsed.kind === 'row' ? toLoadRow(parsed.row) : parsed
}

function* linesOf(body: Buffer): Iterable<Buffer> {
  for (let start = 0; start < body.length; ) {
    const found = body.indexOf(newline, start)
    const end = found === -1 ? body.length : found
    if (end > start) yield body.subarray(start, end)
    start = end + 1
  }
}
