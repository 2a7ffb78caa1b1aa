import { renderCsv } from './csv.ts'
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
 * Writes a report as CSV: of a contract and period one line without a despatch method for what came in, and one for each way
 * in which letters left, so that every column can be summed.
 */
export function renderVolumesCsv({ volumes }: VolumesResponse): string {
  return renderCsv(columns, volumes.flatMap(linesOf))
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
