import { printRunDespatchMethods } from '@despatch/domain/print-run/despatch-method'
import { mailFormats } from '@despatch/domain/print-run/mail-format'
import { type PrintRunState, printRunStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { text } from '../text.ts'
import { count } from './answers.ts'

/** The states that a provider sees. An open run is not offered. */
const offeredStates = printRunStates.filter((state) => state !== 'OPEN')

export const controlTotals = {
  documentCount: count,
  sheetCount: count,
  pageCount: count,
  byteCount: count.describe('Total bytes of all files'),
}

export const productionStream = {
  printLocation: z.string(),
  despatchMethod: z.enum(printRunDespatchMethods),
  format: z.enum(mailFormats),
  stationery: z.string(),
  plex: z.enum(['simplex', 'duplex']),
  colour: z.boolean(),
}

export const printRunSchema = z.object({
  batchNumber: z.string().describe('Number of the print run'),
  state: z
    .enum(offeredStates)
    .describe(
      'A claimed run whose lease expires before the acknowledgement is RELEASED again. It stays frozen',
    ),
  ...productionStream,
  printEpoch: count.describe(
    'Starts at 1 and increases by one each time an operator reassigns the run',
  ),
  expectedDespatchDate: z.iso
    .date()
    .optional()
    .describe('Day on which the run is due to be handed to the carrier'),
  manifestVersion: count.describe(
    'Increases with every document that is withdrawn before the claim',
  ),
  ...controlTotals,
  releasedAt: z.iso.datetime(),
  claimedAt: z.iso.datetime().optional(),
  leaseUntil: z.iso.datetime().optional(),
  acknowledgedAt: z.iso.datetime().optional(),
  postedAt: z.iso.datetime().optional(),
  closedAt: z.iso.datetime().optional(),
})
export type PrintRunResponse = z.output<typeof printRunSchema>

export const printRunsSchema = z.object({
  printRuns: z
    .array(printRunSchema)
    .describe('Earliest expectedDespatchDate first, then oldest release first'),
  nextCursor: z
    .string()
    .optional()
    .describe('Pass it as cursor to get the next page. Absent on the last page'),
})
export type PrintRunsResponse = z.output<typeof printRunsSchema>

const pageRunsDefault = 50

export const printRunsQuerySchema = z.object({
  state: z.enum(offeredStates).exactOptional().describe('Absent: all states except VOIDED'),
  printLocation: text({ min: 1, max: 100 }).exactOptional(),
  despatchMethod: z.enum(printRunDespatchMethods).exactOptional(),
  cursor: z
    .string()
    .regex(/^R\d{1,18}$/, 'must be the nextCursor of the page before')
    .exactOptional()
    .describe('nextCursor of the previous page'),
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100')
    .transform(Number)
    .default(pageRunsDefault)
    .describe('Maximum number of print runs in a page'),
})

export type StoredPrintRun = Omit<
  PrintRunResponse,
  | 'state'
  | 'expectedDespatchDate'
  | 'releasedAt'
  | 'claimedAt'
  | 'leaseUntil'
  | 'acknowledgedAt'
  | 'postedAt'
  | 'closedAt'
> & {
  expectedDespatchDate: string | null
  state: PrintRunState
  releasedAt: Date
  claimedAt: Date | null
  leaseUntil: Date | null
  acknowledgedAt: Date | null
  postedAt: Date | null
  closedAt: Date | null
}

/** Renders a page of print runs. A full page may be followed by another. */
export function renderPrintRuns(
  runs: readonly StoredPrintRun[],
  { limit }: { limit: number },
): PrintRunsResponse {
  const last = runs.length === limit ? runs.at(-1) : undefined
  return {
    printRuns: runs.map(renderPrintRun),
    ...(last && { nextCursor: last.batchNumber }),
  }
}

function renderPrintRun({ state, ...run }: StoredPrintRun): PrintRunResponse {
  if (state === 'OPEN') throw new Error(`Print run ${run.batchNumber} is not offered`)
  const { releasedAt, claimedAt, leaseUntil, acknowledgedAt, postedAt, closedAt, ...others } = run
  const { expectedDespatchDate, ...rest } = others
  return {
    ...rest,
    state,
    ...(expectedDespatchDate !== null && { expectedDespatchDate }),
    releasedAt: releasedAt.toISOString(),
    ...(claimedAt && { claimedAt: claimedAt.toISOString() }),
    ...(leaseUntil && { leaseUntil: leaseUntil.toISOString() }),
    ...(acknowledgedAt && { acknowledgedAt: acknowledgedAt.toISOString() }),
    ...(postedAt && { postedAt: postedAt.toISOString() }),
    ...(closedAt && { closedAt: closedAt.toISOString() }),
  }
}
