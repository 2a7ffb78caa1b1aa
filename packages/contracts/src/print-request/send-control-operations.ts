import { z } from 'zod'
import { text } from '../text.ts'
import { everywhere, printRequestPrefix, security } from './answers.ts'
import { printJobResponseSchema } from './print-job-response.ts'
import { printErrorsSchema } from './problems.ts'

const printJob = `${printRequestPrefix}/v1/print/jobs/:jobId`
const ofPrintJob = z.object({ jobId: z.string().describe('The id of the print job') })
const answers = {
  200: printJobResponseSchema.describe('The print job as it stands, in the extended view'),
  400: printErrorsSchema.describe('Invalid parameters: one error for each fault'),
  404: printErrorsSchema.describe('No print job with the id (code 5)'),
  409: printErrorsSchema.describe('Not possible now; the detail says why'),
  ...everywhere,
}

export const holdPrintJobSchema = z
  .object({
    reason: text({ min: 1, max: 200 })
      .exactOptional()
      .describe('Told in the timeline. No personal information'),
  })
  .nullish()

export const holdPrintJob = {
  method: 'POST',
  url: `${printJob}/hold`,
  schema: {
    operationId: 'holdPrintJob',
    tags: ['print jobs'],
    summary: 'Keep a print job from being printed until it is released',
    description:
      'An addition to the specification. Its checks go on. Possible until a provider has claimed its print run; the body may ' +
      'be left out.',
    security,
    params: ofPrintJob,
    body: holdPrintJobSchema,
    response: answers,
  },
} as const

export const releasePrintJob = {
  method: 'POST',
  url: `${printJob}/release`,
  schema: {
    operationId: 'releasePrintJob',
    tags: ['print jobs'],
    summary: 'Let a held print job be printed',
    description:
      'An addition to the specification. Also approves one that its contract holds for approval. What an operator holds is ' +
      'released by an operator.',
    security,
    params: ofPrintJob,
    response: answers,
  },
} as const
