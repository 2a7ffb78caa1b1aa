import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import { moment } from '../moment.ts'
import { nextCursor, pageQuery } from '../page.ts'
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

const instant = z.iso.datetime()

export const listedPrintJobSchema = z.object({
  id: z.string(),
  status: z.enum(printJobStatuses).describe('A deleted print job keeps its last status'),
  jobType: z.string(),
  templateReference: z.string(),
  businessIdentifier: z.string().optional(),
  createdDate: instant,
  updatedDate: instant,
  batchNumber: z.string().optional().describe('Number of the print run'),
  heldSince: instant
    .optional()
    .describe('The print job has waited for its release since this time'),
  deletedDate: instant.optional(),
  purgedDate: instant.optional().describe('When the personal data was removed'),
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

/** A print job of a list as stored. Null: not known, not so, or removed. */
export type StoredListedPrintJob = {
  key: string
  id: string
  status: PrintJobStatus
  jobType: string
  templateReference: string
  businessIdentifier: string | null
  createdDate: Date
  updatedDate: Date
  batchNumber: string | null
  heldSince: Date | null
  deletedDate: Date | null
  purgedDate: Date | null
}

/** Renders a print job for a list of its consumer. */
export function renderListedPrintJob({
  key: _,
  createdDate,
  updatedDate,
  ...others
}: StoredListedPrintJob): z.output<typeof listedPrintJobSchema> {
  const { businessIdentifier, batchNumber, heldSince, deletedDate, purgedDate, ...known } = others
  return {
    ...known,
    ...(businessIdentifier !== null && { businessIdentifier }),
    createdDate: createdDate.toISOString(),
    updatedDate: updatedDate.toISOString(),
    ...(batchNumber !== null && { batchNumber }),
    ...(heldSince && { heldSince: heldSince.toISOString() }),
    ...(deletedDate && { deletedDate: deletedDate.toISOString() }),
    ...(purgedDate && { purgedDate: purgedDate.toISOString() }),
  }
}
