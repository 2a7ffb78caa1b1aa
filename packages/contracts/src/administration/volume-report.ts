import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { VolumePeriod, VolumeResponse, VolumesResponse } from './volume.ts'

type Counts = VolumesResponse['total']

/** Counts of one contract in a period: with a despatch method what was despatched by it, without one what came in. */
export type VolumeLine = Counts & {
  period: string
  consumerId: string
  userName: string
  jobType: string
  templateReference: string
  despatchMethod: PrintRunDespatchMethod | null
  postageClass: string | null
}

export type VolumesQuery = { from: string; to: string; groupBy: VolumePeriod }

/**
 * Combines the lines of a report into volumes, one for each contract and period. Requires the lines of a volume to be
 * adjacent.
 */
export function renderVolumes(query: VolumesQuery, lines: readonly VolumeLine[]): VolumesResponse {
  const volumes: VolumeResponse[] = []
  let last: VolumeLine | undefined
  for (const line of lines) {
    if (!last || !isOfSameVolume(last, line)) volumes.push(emptyVolume(line))
    addLine(volumes.at(-1)!, line)
    last = line
  }
  const { from, to, groupBy } = query
  return { from, to, groupBy, total: totalOf(lines), volumes }
}

function isOfSameVolume(one: VolumeLine, other: VolumeLine): boolean {
  return (
    one.period === other.period &&
    one.consumerId === other.consumerId &&
    one.jobType === other.jobType &&
    one.templateReference === other.templateReference
  )
}

function emptyVolume(line: VolumeLine): VolumeResponse {
  const { period, consumerId, userName, jobType, templateReference } = line
  const contract = { period, consumerId, userName, jobType, templateReference }
  return { ...contract, ...nothing, despatched: [] }
}

const nothing: Counts = { accepted: 0, rejected: 0, deleted: 0, letters: 0, sheets: 0, pages: 0 }

function addLine(volume: VolumeResponse, line: VolumeLine): void {
  addCounts(volume, line)
  const { despatchMethod, postageClass, letters, sheets, pages } = line
  if (despatchMethod === null || postageClass === null) return
  volume.despatched.push({ despatchMethod, postageClass, letters, sheets, pages })
}

function totalOf(lines: readonly VolumeLine[]): Counts {
  const total = { ...nothing }
  for (const line of lines) addCounts(total, line)
  return total
}

function addCounts(sum: Counts, line: Counts): void {
  for (const name of Object.keys(nothing) as (keyof Counts)[]) sum[name] += line[name]
}
