import { printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import { moment } from '../moment.ts'
import { nextCursor, pageQuery } from '../page.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { text } from '../text.ts'
import { identifierPattern } from './print-job-request.ts'

export const listPrintJobsQuerySchema = z.strictObject({
  status: z.enum(printJobStatuses).exactOptional(),
  createdFrom: moment.exactOptional().describe('Inclusive start of the range'),
  createdTo: moment.exactOptional().describe('Exclusive end of the range'),
  reference: text({ min: 1, max: 255, pattern: identifierPattern })
    .exactOptional()
    .describe(
      'businessIdentifier of the print job, complete. Capitals do not count. It is part of the URL, which proxies on ' +
        'the way may log',
    ),
  only: z
    .enum(['held', 'deleted'])
    .exactOptional()
    .describe('held: waits for its release. deleted: deleted by you or by operations'),
  ...pageQuery,
  cursor: text({ min: 1, max: 200, pattern: /^[\w-]+$/ })
    .exactOptional()
    .describe('nextCursor of the previous page'),
})

export const listedPrintJobSchema = z.object({
  id: z.string(),
  status: z.enum(printJobStatuses).describe('A deleted print job keeps its last status'),
  jobType: z.string(),
  templateReference: z.string(),
  businessIdentifier: ifKnown(z.string()),
  createdDate: storedTime,
  updatedDate: storedTime,
  batchNumber: ifKnown(z.string()).describe('Number of the print run'),
  heldSince: ifKnown(storedTime).describe(
    'The print job has waited for its release since this time',
  ),
  deletedDate: ifKnown(storedTime),
  purgedDate: ifKnown(storedTime).describe('When the personal data was removed'),
})

export const listedPrintJobsSchema = z.object({
  printJobs: z
    .array(listedPrintJobSchema)
    .describe(
      'Newest first. Print jobs are read in sections. A page may then contain fewer items than the limit, or none, ' +
        'and still have a nextCursor. A range of dates makes the sections fewer',
    ),
  nextCursor,
})

/** The key is the cursor. */
export type StoredListedPrintJob = z.input<typeof listedPrintJobSchema> & { key: string }
