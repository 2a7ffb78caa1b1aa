import { z } from 'zod'
import { binary } from '../binary.ts'
import { customIssue } from '../text.ts'
import { everywhere, security } from './answers.ts'
import { listedPrintJobsSchema, listPrintJobsQuerySchema } from './listed-print-job.ts'
import { printRequestPrefix } from './paths.ts'
import { printJobTimelineSchema } from './print-job-events.ts'
import { printJobRequestSchema } from './print-job-request.ts'
import {
  printJobCreationResponseSchema,
  printJobQuerySchema,
  printJobResponseSchema,
} from './print-job-response.ts'
import { printErrorsSchema } from './problems.ts'
import { uploadFileResponseSchema } from './upload-file-response.ts'
import { validationResponseSchema } from './validation-response.ts'

const jobId = z.object({ jobId: z.string().describe('Id of the print job') })

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
      'Repeating the request with the same key and content returns the id of the first print job and creates no other. ' +
        'The same key with different content returns 409. A key is free again when its print job is retired',
    ),
})
const unknownJob = printErrorsSchema.describe('The print job does not exist (code 5)')

export const createUpload = {
  method: 'GET',
  url: `${printRequestPrefix}/v1/print/files/upload-url`,
  schema: {
    operationId: 'createUpload',
    tags: ['files'],
    summary: 'Create an upload URL for a file',
    description:
      'Send the bytes of one file to the URL by PUT. A print job that names an upload with more bytes than the limit of ' +
      'the deployment (10 MiB by default) is refused, and the bytes are deleted.',
    security,
    response: {
      200: uploadFileResponseSchema.describe('The upload, which waits for its bytes'),
      400: printErrorsSchema.describe('Invalid parameters'),
      ...everywhere,
      429: printErrorsSchema.describe(
        'Too many requests, or too many uploads of the consumer that are in no print job and have not expired',
      ),
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
      'Returns once the print job is saved. Unknown members of the body are ignored, counted in X-Unknown-Members and ' +
      'listed in the timeline, or refused if the contract says so. Null for an optional member, at any depth, counts as ' +
      'absent. An object with two members of one name is refused.',
    security,
    headers: idempotencyKey,
    body: printJobRequestSchema,
    response: {
      202: printJobCreationResponseSchema.describe('The print job is saved for later submission'),
      400: printErrorsSchema.describe('Invalid parameters, with one error for each violation'),
      404: printErrorsSchema.describe(
        'An uploadId of fileParams does not exist or cannot be used; detail says why (code 12)',
      ),
      409: printErrorsSchema.describe('The id conflicts with another print job (code 11)'),
      413: printErrorsSchema.describe('The body is too large'),
      ...everywhere,
    },
  },
} as const

const dryRunAnswers = {
  400: printErrorsSchema.describe('Invalid parameters, with one error for each violation'),
  404: printErrorsSchema.describe(
    'An uploadId of fileParams does not exist or cannot be used; detail says why (code 12)',
  ),
  413: printErrorsSchema.describe('The body or all files together are too large'),
}

export const validatePrintJob = {
  method: 'POST',
  url: `${printRequestPrefix}/v1/print/jobs/validate`,
  schema: {
    operationId: 'validatePrintJob',
    tags: ['print jobs'],
    summary: 'Validate a print job',
    description:
      'An addition to the specification. Takes the same body as a submission and returns what the result would be. ' +
      'Saves, prints and sends nothing, and uses up no upload. Does not check whether the id is taken. In the test ' +
      'environment, recipients with a predefined outcome are judged like any other.',
    security,
    body: printJobRequestSchema,
    response: {
      200: validationResponseSchema.describe('The result that the print job would have'),
      ...dryRunAnswers,
      ...everywhere,
    },
  },
} as const

export const drawDryRun = {
  method: 'POST',
  url: `${printRequestPrefix}/v1/print/jobs/validate/proof.pdf`,
  schema: {
    operationId: 'drawDryRun',
    tags: ['proofs'],
    summary: 'Get the proof that a print job would have',
    description:
      'An addition to the specification. Takes the same body as a submission and returns the letter as it would be ' +
      'printed, with its findings. Saves, prints and sends nothing.',
    security,
    body: printJobRequestSchema,
    response: {
      200: { description: 'The proof', content: { 'application/pdf': { schema: binary } } },
      ...dryRunAnswers,
      ...everywhere,
    },
  },
} as const

export const drawDryRunPage = {
  method: 'POST',
  url: `${printRequestPrefix}/v1/print/jobs/validate/proof/:page.png`,
  schema: {
    operationId: 'drawDryRunPage',
    tags: ['proofs'],
    summary: 'Get a page of the proof that a print job would have',
    description:
      'An addition to the specification. The same picture as in the proof of a dry run. Pages are counted in the letter.',
    security,
    params: z.object({ page: z.string().describe('Page of the letter, from 1') }),
    body: printJobRequestSchema,
    response: {
      200: { description: 'The page', content: { 'image/png': { schema: binary } } },
      ...dryRunAnswers,
      ...everywhere,
    },
  },
} as const

export const listPrintJobs = {
  method: 'GET',
  url: `${printRequestPrefix}/v1/print/jobs`,
  schema: {
    operationId: 'listPrintJobs',
    tags: ['print jobs'],
    summary: 'List your print jobs, newest first',
    description:
      'An addition to the specification. Deleted print jobs are only listed with only=deleted. Once its personal data ' +
      'is removed, a print job is listed without its reference, and not found by it. A retired print job is not listed.',
    security,
    querystring: listPrintJobsQuerySchema,
    response: {
      200: listedPrintJobsSchema,
      400: printErrorsSchema.describe('Invalid or unknown filters, with one error for each'),
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
    summary: 'Get a print job',
    description:
      'A print job is retired some time after its personal data was removed: it does not exist any more, and its id ' +
      'stays taken.',
    security,
    params: jobId,
    querystring: printJobQuerySchema,
    response: {
      200: printJobResponseSchema.describe('The current print job'),
      400: printErrorsSchema.describe('The view does not exist'),
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
    summary: 'Delete a pending print job',
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
  404: printErrorsSchema.describe('The print job (code 5) or the page does not exist'),
  409: printErrorsSchema.describe('The print job is still being checked'),
}

export const getProof = {
  method: 'GET',
  url: `${printRequestPrefix}/v1/print/jobs/:jobId/proof.pdf`,
  schema: {
    operationId: 'getProof',
    tags: ['proofs'],
    summary: 'Get the proof of a print job',
    description:
      'An addition to the specification. The proof contains the findings and a picture of each page of the letter. The ' +
      'picture shows the paper edge, the printable area, the areas that must stay clear, and the findings. A rejected ' +
      'print job also has a proof, as far as its files can be drawn.',
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
    summary: 'Get a page of the proof of a print job',
    description:
      'An addition to the specification. The same picture as in the proof. Pages are counted in the letter. If we make ' +
      'an address page, it is page 1 and the pages of the first file follow.',
    security,
    params: jobId.extend({ page: z.string().describe('Page of the letter, from 1') }),
    response: {
      200: { description: 'The page', content: { 'image/png': { schema: binary } } },
      ...noProof,
      ...everywhere,
    },
  },
} as const

export const getLetter = {
  method: 'GET',
  url: `${printRequestPrefix}/v1/print/jobs/:jobId/letter.pdf`,
  schema: {
    operationId: 'getLetter',
    tags: ['proofs'],
    summary: 'Get a letter as an accessible PDF',
    description:
      'An addition to the specification. For a letter from a template that was accepted: the letter for a screen, as ' +
      'PDF/UA-1, with the address as text and without marks. Repeating the request returns the same bytes. It is ' +
      'available for as long as the personal data of the print job.',
    security,
    params: jobId,
    response: {
      200: { description: 'The letter', content: { 'application/pdf': { schema: binary } } },
      404: printErrorsSchema.describe('The print job (code 5) does not exist'),
      409: printErrorsSchema.describe(
        'The print job is still being checked, was rejected, is not made from a template, or has no personal data any more',
      ),
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
    summary: 'Get the timeline of a print job',
    description:
      'An addition to the specification. Returns what has happened to the print job, its print run, its callbacks, and ' +
      'the actions of its consumer that are possible now. An action that is not possible says why ' +
      'not. Its operation then answers 409, hold and release with the same reason.',
    security,
    params: jobId,
    response: {
      200: printJobTimelineSchema.describe('The timeline. Events are listed oldest first'),
      404: unknownJob,
      ...everywhere,
    },
  },
} as const
