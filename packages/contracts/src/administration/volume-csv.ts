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
 * Renders a report as CSV. For each contract and period, one line without a despatch method counts what came in, and
 * one line per despatch method counts what was despatched by it. So every column can be summed.
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
