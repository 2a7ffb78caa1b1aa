import { z } from 'zod'
import { text } from '../text.ts'
import { everywhere, security } from './answers.ts'
import { printRequestPrefix } from './paths.ts'
import { printJobResponseSchema } from './print-job-response.ts'
import { printErrorsSchema } from './problems.ts'

const printJob = `${printRequestPrefix}/v1/print/jobs/:jobId`
const ofPrintJob = z.object({ jobId: z.string().describe('Id of the print job') })
const answers = {
  200: printJobResponseSchema.describe('The current print job in the extended view'),
  400: printErrorsSchema.describe('Invalid parameters, with one error for each violation'),
  404: printErrorsSchema.describe('The print job does not exist (code 5)'),
  409: printErrorsSchema.describe('Not possible now. The detail says why'),
  ...everywhere,
}

export const holdPrintJobSchema = z
  .object({
    reason: text({ min: 1, max: 200 })
      .exactOptional()
      .describe('Shown in the timeline. Must not contain personal information'),
  })
  .nullish()

export const holdPrintJob = {
  method: 'POST',
  url: `${printJob}/hold`,
  schema: {
    operationId: 'holdPrintJob',
    tags: ['print jobs'],
    summary: 'Hold a print job',
    description:
      'An addition to the specification. The print job is not printed until it is released. Its checks continue. ' +
      'Possible until a provider claims its print run. The body is optional.',
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
    summary: 'Release a held print job',
    description:
      'An addition to the specification. Also approves a print job that its contract holds for approval. Only an ' +
      'operator can release the hold of an operator.',
    security,
    params: ofPrintJob,
    response: answers,
  },
} as const
