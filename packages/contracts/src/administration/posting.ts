import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { count } from '../print-fulfilment/answers.ts'
import { weighedCountSchema } from '../print-fulfilment/posting.ts'
import { ifKnown, storedTime } from '../stored.ts'

export const postingsQuerySchema = z.object({
  ...pageQuery,
  cursor: z.uuid().exactOptional().describe('nextCursor of the previous page'),
})

export const postingSchema = z.object({
  postingId: z.uuid(),
  carrier: z.string(),
  handoverAt: storedTime.describe('When the carrier took the post'),
  manifestNumber: ifKnown(z.string()).describe('Number of the carrier manifest or docket'),
  documentCount: count.describe('Documents of the print run in the posting'),
  sheetCount: count.describe('Sheets of the print run in the posting'),
  counts: ifKnown(z.array(weighedCountSchema)).describe(
    'What the carrier counted in the whole posting, beside our estimate. Absent: nothing was reported',
  ),
  printRunCount: count.describe('Print runs that the posting covers'),
  evidenceCount: count.describe('Files of evidence, such as a signed docket'),
  createdAt: storedTime,
  confirmedAt: ifKnown(storedTime).describe(
    'Absent: not confirmed. Its documents count as missing',
  ),
})
export const postingsSchema = z.object({
  postings: z.array(postingSchema).describe('Newest first'),
  nextCursor,
})
export type PostingsResponse = z.output<typeof postingsSchema>
