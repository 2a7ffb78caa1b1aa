import { stringify } from 'csv-stringify/sync'
import type { VolumeResponse, VolumesResponse } from './volume.ts'

const columns = [
  'period',
  'userName',
  'jobType',
  'templateReference',
  'despatchMethod',
  'postageClass',
  'accepted',
  'rejected',
  'deleted',
  'letters',
  'sheets',
  'pages',
]

/**
 * Writes a report as CSV (RFC 4180) under a line of column names: of a contract and period one line without a despatch method
 * for what came in, and one for each way in which letters left, so that every column can be summed. Names and
 * classes are chosen by others: a cell that a spreadsheet would take for a formula begins with an apostrophe.
 */
export function renderVolumesCsv({ volumes }: VolumesResponse): string {
  return stringify(volumes.flatMap(linesOf), {
    columns,
    header: true,
    record_delimiter: 'windows',
    escape_formulas: true,
  })
}

function linesOf(volume: VolumeResponse): object[] {
  const { accepted, rejected, deleted, despatched, letters, sheets, pages, ...contract } = volume
  const cameIn = { accepted, rejected, deleted, letters: 0, sheets: 0, pages: 0 }
  const ways = despatched.map((way) => ({
    ...contract,
    accepted: 0,
    rejected: 0,
    deleted: 0,
    ...way,
  }))
  return accepted + rejected + deleted > 0 ? [{ ...contract, ...cameIn }, ...ways] : ways
}
