import { advices } from '@despatch/domain/print-run/advice'
import { documentProgresses } from '@despatch/domain/print-run/document-progress'
import { printRunStates } from '@despatch/domain/print-run/state'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { batchNumber, count } from '../print-fulfilment/answers.ts'
import { controlTotals, productionStream } from '../print-fulfilment/print-run.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { text } from '../text.ts'
import { slug } from './consumer.ts'
import { agreedCount, documentChoice, requireOneOf } from './document-choice.ts'
import { printLocation } from './provider.ts'

/** Shown to providers, to consumers and in the audit log: no personal information. */
export const reason = text({ min: 1, max: 200 }).describe('Must not contain personal information')

export const ofPrintRun = z.object({ batchNumber })

const userName = ifKnown(z.string()).describe('User name, if it was a user')

export const printRunSummarySchema = z.object({
  batchNumber: z.string(),
  state: z.enum(printRunStates).describe('A claimed run stays CLAIMED when its lease expires'),
  providerId: z.string(),
  ...productionStream,
  printEpoch: count.describe(
    'Starts at 1 and increases by one each time a claimed run is reassigned',
  ),
  ...controlTotals,
  waitingReprintCount: count.describe('Number of reprints that wait for a second person'),
  openedAt: storedTime,
  cutOffAt: ifKnown(storedTime).describe(
    'When the print run is released. Present while it is OPEN',
  ),
  expectedDespatchDate: ifKnown(z.iso.date()),
  releaseAskedAt: ifKnown(storedTime),
  releaseBeganAt: ifKnown(storedTime).describe(
    'When gathering ended and the numbering of the documents began',
  ),
  releaseFailureCount: ifKnown(count).describe(
    'Number of failed releases. Absent if there were none. The release is retried automatically',
  ),
  releaseFault: ifKnown(z.string()).describe('Class or code of the last fault'),
  releaseTriedAt: ifKnown(storedTime).describe('When the release last failed'),
  releasedAt: ifKnown(storedTime),
  claimedAt: ifKnown(storedTime),
  leaseUntil: ifKnown(storedTime),
  acknowledgedAt: ifKnown(storedTime),
  postedAt: ifKnown(storedTime),
  closedAt: ifKnown(storedTime),
  voidedAt: ifKnown(storedTime),
  movedFrom: ifKnown(z.string()).describe('Print run that its documents were in before'),
  movedTo: ifKnown(z.string()).describe('Print run that its documents are in now'),
})
export type PrintRunSummaryResponse = z.output<typeof printRunSummarySchema>

export const printRunDetailsSchema = printRunSummarySchema.extend({
  manifestVersion: ifKnown(count),
  manifestDigest: ifKnown(z.string()),
  releaseAskedBy: ifKnown(z.string()),
  releaseAskedByUserName: userName,
  refusal: ifKnown(z.string()).describe('Why the provider refuses the whole run'),
  voidReason: ifKnown(z.string()),
  closedBy: ifKnown(z.string()),
  closedByUserName: userName,
  account: z
    .object({
      expected: count,
      despatched: count,
      refused: count,
      failed: count,
      recalled: count,
      posted: count.describe('Documents in a posting that is not confirmed'),
      moved: count.describe('Documents that continue in another print run'),
      missing: count.describe('Documents whose outcome is not known yet'),
    })
    .optional()
    .describe('Reconciliation of the claimed documents. Absent before the claim'),
  unaccounted: z
    .array(
      z.object({
        documentId: z.string(),
        printJobKey: z.string(),
        printJobId: z.string(),
        recipientName: ifKnown(z.string()).describe('Absent once it has been removed'),
        updatedAt: storedTime.describe('When its print job last changed'),
        attempt: count,
        progress: ifKnown(z.enum(documentProgresses)).describe(
          'What the provider reported last. Absent: nothing',
        ),
        postingId: ifKnown(z.string()).describe('The posting that covers it, not yet confirmed'),
        advice: z
          .enum(advices)
          .describe(
            'What an operator can do. move-run: reassign or recall the refused run. decide-reprint: decide on the ' +
              'reprint. post: record the posting on behalf of the provider. recall: recall it and settle the recall',
          ),
        reprintId: ifKnown(z.string()).describe('The reprint that waits for a decision'),
        standing: z
          .string()
          .describe('Progress of the document, and what an operator can do about it'),
      }),
    )
    .optional()
    .describe('The missing documents, at most 100. Absent if there are none'),
})
export type PrintRunDetailsResponse = z.output<typeof printRunDetailsSchema>

export const printRunSummariesQuerySchema = z.object({
  state: z.enum(printRunStates).exactOptional().describe('Absent: all'),
  providerId: slug.exactOptional().describe('Absent: all'),
  ...pageQuery,
})
export const printRunSummariesSchema = z.object({
  printRuns: z.array(printRunSummarySchema).describe('Newest first'),
  nextCursor,
})
export type PrintRunSummariesResponse = z.output<typeof printRunSummariesSchema>

export const reassignPrintRunSchema = z.object({
  providerId: slug,
  printLocation,
  reason,
  nothingPrinted: z
    .literal(
      true,
      'must be true, or left out for a print run that nobody has claimed or that was refused as a whole',
    )
    .exactOptional()
    .describe(
      'Required for a claimed run, unless its provider has refused the whole run. Confirms that you know from the ' +
        'provider that nothing in it was or will be printed',
    ),
  expectedCount: agreedCount
    .exactOptional()
    .describe('The count that was agreed. If it is more by now, nothing is reassigned'),
})
export type ReassignPrintRunRequest = z.input<typeof reassignPrintRunSchema>

export const reassignCountSchema = z.object({
  batchNumber: z.string(),
  documentCount: count.describe(
    'Number of documents that a reassignment would include. Those in an open recall are not',
  ),
})
export type ReassignCountResponse = z.output<typeof reassignCountSchema>

export const reassignedRunSchema = z.object({
  batchNumber: z.string().describe('Number of the new print run for the documents'),
  movedFrom: z.string(),
  providerId: z.string(),
  printLocation: z.string(),
  printEpoch: count,
  documentCount: count,
})
export type ReassignedRunResponse = z.output<typeof reassignedRunSchema>

export const closePrintRunOnBehalfSchema = z.object({
  note: reason.describe(
    'Why the provider does not close it. Must not contain personal information',
  ),
})

const recalledAtOnceMax = 1_000

const recallChoice = documentChoice({
  documentsMax: recalledAtOnceMax,
  all: 'Selects all documents that are not accounted for',
})

export const countRecallSchema = z.object(recallChoice).check(requireOneOf('documentIds', 'all'))

export const recallCountSchema = z.object({
  batchNumber: z.string(),
  documentCount: count.describe(
    'Number of documents that the recall would include. In a refused print run it also includes all open recalls',
  ),
})
export type RecallCountResponse = z.output<typeof recallCountSchema>

export const recallPrintRunSchema = z
  .object({
    ...recallChoice,
    reason,
    expectedCount: agreedCount
      .exactOptional()
      .describe('The count that was agreed. If it is more by now, nothing is recalled'),
  })
  .check(requireOneOf('documentIds', 'all'))

export const recallResultSchema = z.object({
  batchNumber: z.string(),
  recallId: z
    .uuid()
    .optional()
    .describe(
      'Id of the request to the provider. Absent if the documents were recalled immediately',
    ),
  documentCount: count,
})
export type RecallResultResponse = z.output<typeof recallResultSchema>
