import type { WeighedCount } from '@despatch/domain/print-run/posting-counts'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { count } from '../print-fulfilment/answers.ts'
import { weighedCountSchema } from '../print-fulfilment/posting.ts'

export const postingsQuerySchema = z.object({
  ...pageQuery,
  cursor: z.uuid().exactOptional().describe('nextCursor of the previous page'),
})

export const postingSchema = z.object({
  postingId: z.uuid(),
  carrier: z.string(),
  handoverAt: z.iso.datetime().describe('When the carrier took the post'),
  manifestNumber: z.string().optional().describe('Number of the carrier manifest or docket'),
  documentCount: count.describe('Documents of the print run in the posting'),
  sheetCount: count.describe('Sheets of the print run in the posting'),
  counts: z
    .array(weighedCountSchema)
    .optional()
    .describe(
      'What the carrier counted in the whole posting, beside our estimate. Absent: nothing was reported',
    ),
  printRunCount: count.describe('Print runs that the posting covers'),
  evidenceCount: count.describe('Files of evidence, such as a signed docket'),
  createdAt: z.iso.datetime(),
  confirmedAt: z.iso
    .datetime()
    .optional()
    .describe('Absent: not confirmed. Its documents count as missing'),
})
export const postingsSchema = z.object({
  postings: z.array(postingSchema).describe('Newest first'),
  nextCursor,
})
export type PostingsResponse = z.output<typeof postingsSchema>

export type ListedPosting = Omit<
  z.output<typeof postingSchema>,
  'counts' | 'handoverAt' | 'manifestNumber' | 'createdAt' | 'confirmedAt'
> & {
  counts: WeighedCount[] | null
  handoverAt: Date
  manifestNumber: string | null
  createdAt: Date
  confirmedAt: Date | null
}

export function renderPosting(posting: ListedPosting) {
  const { counts, handoverAt, manifestNumber, createdAt, confirmedAt, ...others } = posting
  return {
    ...others,
    ...(counts && { counts }),
    handoverAt: handoverAt.toISOString(),
    ...(manifestNumber !== null && { manifestNumber }),
    createdAt: createdAt.toISOString(),
    ...(confirmedAt && { confirmedAt: confirmedAt.toISOString() }),
  }
}
