import { printRunDespatchMethods } from '@despatch/domain/print-run/despatch-method'
import { mailFormats } from '@despatch/domain/print-run/mail-format'
import { printRunStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { ifKnown, storedTime } from '../stored.ts'
import { text } from '../text.ts'
import { count, nextCursor } from './answers.ts'

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
  expectedDespatchDate: ifKnown(z.iso.date()).describe(
    'Day on which the run is due to be handed to the carrier',
  ),
  manifestVersion: count.describe(
    'Increases with every document that is withdrawn before the claim',
  ),
  ...controlTotals,
  releasedAt: storedTime,
  claimedAt: ifKnown(storedTime),
  leaseUntil: ifKnown(storedTime),
  acknowledgedAt: ifKnown(storedTime),
  postedAt: ifKnown(storedTime),
  closedAt: ifKnown(storedTime),
})

export const printRunsSchema = z.object({
  printRuns: z
    .array(printRunSchema)
    .describe('Earliest expectedDespatchDate first, then oldest release first'),
  nextCursor,
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
