import { z } from 'zod'
import { count, instant } from '../print-fulfilment/answers.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { text } from '../text.ts'
import { agreedCount, documentChoice, requireOneOf } from './document-choice.ts'
import { reason } from './print-run.ts'

const postedAtOnceMax = 5_000

const postingChoice = documentChoice({
  documentsMax: postedAtOnceMax,
  all: 'Selects all missing documents of the print run',
})

export const countPostingSchema = z
  .object({
    postingKey: z
      .uuid()
      .exactOptional()
      .describe(
        'The key that the posting will have. If a posting of this print run already has it, its documents are counted',
      ),
    ...postingChoice,
  })
  .check(requireOneOf('documentIds', 'all'))

export const postingCountSchema = z.object({
  batchNumber: z.string(),
  documentCount: count.describe('Number of documents that the posting would include, or includes'),
})
export type PostingCountResponse = z.output<typeof postingCountSchema>

export const postOnBehalfSchema = z
  .object({
    postingKey: z
      .uuid()
      .describe(
        'The caller chooses the key and stores it before the call. A repeated request with the same key returns the same ' +
          'response',
      ),
    ...postingChoice,
    carrier: text({ min: 1, max: 255 }),
    handoverAt: instant.describe(
      'When the carrier took the post. Must be after the print run was claimed',
    ),
    manifestNumber: text({ min: 1, max: 255 })
      .exactOptional()
      .describe('Number of the carrier manifest or docket'),
    reason: reason.describe(
      'How you know that the letters were posted. Shown in the timelines of the print jobs, which their consumers ' +
        'read. Must not contain personal information',
    ),
    expectedCount: agreedCount
      .exactOptional()
      .describe('The count that was agreed. If it is more by now, nothing is recorded'),
  })
  .check(requireOneOf('documentIds', 'all'))
export type PostOnBehalfRequest = z.input<typeof postOnBehalfSchema>

export const postedOnBehalfSchema = z.object({
  postingId: z.uuid(),
  batchNumber: z.string(),
  providerId: z.string(),
  carrier: z.string(),
  handoverAt: storedTime,
  manifestNumber: ifKnown(z.string()),
  documentCount: count,
  sheetCount: count,
  confirmedAt: storedTime,
})
export type PostedOnBehalfResponse = z.output<typeof postedOnBehalfSchema>
