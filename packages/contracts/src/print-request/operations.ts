import { z } from 'zod'
import { binary } from '../binary.ts'
import { customIssue } from '../text.ts'
import { everywhere, printRequestPrefix, security } from './answers.ts'
import { printJobEventsSchema } from './print-job-events.ts'
import { printJobRequestSchema } from './print-job-request.ts'
import {
  printJobCreationResponseSchema,
  printJobQuerySchema,
  printJobResponseSchema,
} from './print-job-response.ts'
import { printErrorsSchema } from './problems.ts'
import { uploadFileResponseSchema } from './upload-file-response.ts'
import { validationResponseSchema } from './validation-response.ts'

const jobId = z.object({ jobId: z.string().describe('The id of the print job') })

const keyPattern = /^[\x21-\x7e]{1,255}$/
const idempotencyKey = z.object({
  'idempotency-key': z
    .string()
    .check(({ value, issues }) => {
      if (keyPattern.test(value)) return
      const message = 'must be 1 to 255 visible ASCII characters'
      issues.push(customIssue({ code: 'InvalidRequiredHeader', message }, value))
    })
    .optional()
    .describe(
      'A repeat with the same key and content gets the id of the first print job instead of making another. ' +
        'With other content: 409',
    ),
})
const unknownJob = printErrorsSchema.describe('No print job with the id (code 5)')

export const createUpload = {
  method: 'GET',
  url: `${printRequestPrefix}/v1/print/files/upload-url`,
  schema: {
    operationId: 'createUpload',
    tags: ['files'],
    summary: 'Get an address to upload a file to',
    security,
    response: {
      200: uploadFileResponseSchema.describe('An upload that is waiting for its bytes'),
      400: printErrorsSchema.describe('Invalid parameters'),
      ...everywhere,
    },
  },
} as const

export const submitPrintJob = {
  method: 'POST',
  url: `${printRequestPrefix}/v1/print/jobs`,
  schema: {
    operationId: 'submitPrintJob',
    tags: ['print jobs'],
    summary: 'Submit a print job',
    description:
      'Answers once the job is saved. Members of the body that are not listed are ignored.',
    security,
    headers: idempotencyKey,
    body: printJobRequestSchema,
    response: {
      202: printJobCreationResponseSchema.describe('Saved for later submission'),
      400: printErrorsSchema.describe('Invalid parameters: one error for each fault'),
      404: printErrorsSchema.describe('An uploadId of fileParams does not exist (code 12)'),
      409: printErrorsSchema.describe('The id conflicts with another print job (code 11)'),
      413: printErrorsSchema.describe('The body is too large'),
      ...everywhere,
    },
  },
} as const

export const validatePrintJob = {
  method: 'POST',
  url: `${printRequestPrefix}/v1/print/jobs/validate`,
  schema: {
    operationId: 'validatePrintJob',
    tags: ['print jobs'],
    summary: 'Try out a print job',
    description:
      'An addition to the specification. Takes what a submission takes and tells what would become of it: nothing is saved, ' +
      'printed or sent, and no upload is used up. Whether the id is taken is not looked at. In the test environment, ' +
      'recipients with a predefined outcome are judged like any other.',
    security,
    body: printJobRequestSchema,
    response: {
      200: validationResponseSchema.describe('What would become of the print job'),
      400: printErrorsSchema.describe('Invalid parameters: one error for each fault'),
      404: printErrorsSchema.describe('An uploadId of fileParams does not exist (code 12)'),
      413: printErrorsSchema.describe('The body is too large, or the files are together'),
      ...everywhere,
    },
  },
} as const

export const getPrintJob = {
  method: 'GET',
  url: `${printRequestPrefix}/v1/print/jobs/:jobId`,
  schema: {
    operationId: 'getPrintJob',
    tags: ['print jobs'],
    summary: 'Read a print job',
    security,
    params: jobId,
    querystring: printJobQuerySchema,
    response: {
      200: printJobResponseSchema.describe('The print job as it stands'),
      400: printErrorsSchema.describe('There is no such view'),
      404: unknownJob,
      ...everywhere,
    },
  },
} as const

export const deletePrintJob = {
  method: 'DELETE',
  url: `${printRequestPrefix}/v1/print/jobs/:jobId`,
  schema: {
    operationId: 'deletePrintJob',
    tags: ['print jobs'],
    summary: 'Delete a print job that is pending',
    security,
    params: jobId,
    response: {
      204: z.null().describe('Deleted'),
      404: unknownJob,
      409: printErrorsSchema.describe('The print job is not pending (code 7)'),
      ...everywhere,
    },
  },
} as const

const noProof = {
  404: printErrorsSchema.describe('No print job with the id (code 5), or no such page'),
  409: printErrorsSchema.describe('The print job is still being checked'),
}

export const getProof = {
  method: 'GET',
  url: `${printRequestPrefix}/v1/print/jobs/:jobId/proof.pdf`,
  schema: {
    operationId: 'getProof',
    tags: ['proofs'],
    summary: 'See the letter of a print job',
    description:
      'An addition to the specification. What was found, and each page as a picture with the edge of the paper, the printable ' +
      'area, the places that are kept clear, and the findings. Also of a rejected print job, as far as its files can be shown.',
    security,
    params: jobId,
    response: {
      200: { description: 'The proof', content: { 'application/pdf': { schema: binary } } },
      ...noProof,
      ...everywhere,
    },
  },
} as const

export const getProofPage = {
  method: 'GET',
  url: `${printRequestPrefix}/v1/print/jobs/:jobId/proof/:page.png`,
  schema: {
    operationId: 'getProofPage',
    tags: ['proofs'],
    summary: 'See one page of the letter of a print job',
    description:
      'An addition to the specification. The same as in the proof, as a picture. Pages are those of the letter: where we ' +
      'make an address page it is page 1, and the pages of the first file follow it.',
    security,
    params: jobId.extend({ page: z.string().describe('Of the letter, from 1') }),
    response: {
      200: { description: 'The page', content: { 'image/png': { schema: binary } } },
      ...noProof,
      ...everywhere,
    },
  },
} as const

export const listPrintJobEvents = {
  method: 'GET',
  url: `${printRequestPrefix}/v1/print/jobs/:jobId/events`,
  schema: {
    operationId: 'listPrintJobEvents',
    tags: ['print jobs'],
    summary: 'Read what happened to a print job',
    security,
    params: jobId,
    response: {
      200: printJobEventsSchema.describe('What happened, oldest first'),
      404: unknownJob,
      ...everywhere,
    },
  },
} as const
