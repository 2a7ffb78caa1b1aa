import { weightBandsGrams } from '@despatch/domain/print-run/weight'
import type { WorkSummaryResponse } from './site.ts'

type Stream = WorkSummaryResponse['streams'][number]
type StreamName = Pick<
  Stream,
  'printLocation' | 'stationery' | 'format' | 'plex' | 'colour' | 'despatchMethod'
>

/** Some documents of one weight band in one print run. A run without documents has one row with counts of 0. */
export type StoredWork = StreamName & {
  batchNumber: string
  phase: 'collecting' | 'released' | 'in-hand'
  cutOffAt: Date | null
  expectedDespatchDate: string | null
  /** Index of the weight band. The number of bands if the weight is above the last one; null without documents. */
  weightBand: number | null
  documentCount: number
  sheetCount: number
}

/** Renders incoming and available work by stream. */
export function renderWorkSummary(work: {
  at: Date
  rows: readonly StoredWork[]
}): WorkSummaryResponse {
  const streams = Map.groupBy(work.rows, (row) => JSON.stringify(nameOf(row)))
  return {
    at: work.at.toISOString(),
    streams: [...streams].sort(byName).map(([, rows]) => renderStream(rows)),
  }
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}

function nameOf(row: StreamName): StreamName {
  const { printLocation, stationery, format, plex, colour, despatchMethod } = row
  return { printLocation, stationery, format, plex, colour, despatchMethod }
}

function renderStream(rows: readonly StoredWork[]): Stream {
  const collecting = rows.filter(({ phase }) => phase === 'collecting')
  // A run whose documents were all withdrawn is not offered.
  const released = rows.filter(
    ({ phase, weightBand }) => phase === 'released' && weightBand !== null,
  )
  const inHand = rows.filter(({ phase }) => phase === 'in-hand')
  return {
    ...nameOf(rows[0]!),
    collecting: renderCollecting(collecting),
    released: {
      printRunCount: countRuns(released),
      documentCount: sum(released, 'documentCount'),
      sheetCount: sum(released, 'sheetCount'),
      ...earliest(released),
    },
    inHand: {
      printRunCount: countRuns(inHand),
      documentCount: sum(inHand, 'documentCount'),
      ...earliest(inHand),
    },
    weightBands: renderWeightBands([...collecting, ...released]),
  }
}

/** A stream has at most one open run. */
function renderCollecting(rows: readonly StoredWork[]): Stream['collecting'] {
  const { cutOffAt = null, expectedDespatchDate = null } = rows[0] ?? {}
  return {
    documentCount: sum(rows, 'documentCount'),
    sheetCount: sum(rows, 'sheetCount'),
    ...(cutOffAt && { cutOffAt: cutOffAt.toISOString() }),
    ...(expectedDespatchDate !== null && { expectedDespatchDate }),
  }
}

function renderWeightBands(rows: readonly StoredWork[]): Stream['weightBands'] {
  const bands = Map.groupBy(rows, ({ weightBand }) => weightBand)
  bands.delete(null)
  return [...bands.keys()]
    .sort((one, other) => one! - other!)
    .map((band) => {
      const ofBand = bands.get(band)!
      const gramsMax = weightBandsGrams[band!]
      return {
        ...(gramsMax !== undefined && { gramsMax }),
        documentCount: sum(ofBand, 'documentCount'),
        sheetCount: sum(ofBand, 'sheetCount'),
      }
    })
}

function countRuns(rows: readonly StoredWork[]): number {
  return new Set(rows.map(({ batchNumber }) => batchNumber)).size
}

function sum(rows: readonly StoredWork[], member: 'documentCount' | 'sheetCount'): number {
  return rows.reduce((total, row) => total + row[member], 0)
}

function earliest(rows: readonly StoredWork[]) {
  const [day] = rows.flatMap(({ expectedDespatchDate }) => expectedDespatchDate ?? []).sort()
  return day === undefined ? {} : { earliestExpectedDespatchDate: day }
}
