import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { text } from '../text.ts'
import { acknowledgementRequestSchema, acknowledgementResponseSchema } from './acknowledgement.ts'
import { claimRequestSchema, claimResponseSchema } from './claim.ts'
import { manifestSchema } from './manifest.ts'
import { printFulfilmentPrefix } from './paths.ts'
import { postingRequestSchema, postingResponseSchema } from './posting.ts'
import { printRunsQuerySchema, printRunsSchema } from './print-run.ts'

/** A posting may name every document of a print run. */
export const printFulfilmentBytesMax = 16 * 1024 * 1024

const security = [{ jwt: [], apiKey: [] }]
const everywhere = {
  401: printErrorsSchema.describe('API key or JWT not provided, expired or invalid'),
  403: printErrorsSchema.describe('The caller is not a print provider'),
  429: printErrorsSchema.describe('More requests than the usage plan or the service allows'),
  500: printErrorsSchema.describe('Unexpected error; the detail carries an error id'),
  503: printErrorsSchema.describe('The service cannot take the request at present'),
}
const batchNumber = text({ min: 1, max: 50 }).describe('Number of the print run')
const runParams = z.object({ batchNumber })
const unknownRun = printErrorsSchema.describe('The provider has no such print run')
const invalid = printErrorsSchema.describe('Invalid parameters: one error for each fault')
const idempotencyKey = z.object({
  'idempotency-key': text({ min: 1, max: 255 }).describe(
    'Chosen by the provider and kept before the call, so that a lost answer can be asked for again',
  ),
})

export const listPrintRuns = {
  method: 'GET',
  url: `${printFulfilmentPrefix}/v1/print-runs`,
  schema: {
    operationId: 'listPrintRuns',
    tags: ['print runs'],
    summary: 'List print runs, oldest release first',
    security,
    querystring: printRunsQuerySchema,
    response: { 200: printRunsSchema, 400: invalid, ...everywhere },
  },
} as const

export const claimPrintRun = {
  method: 'POST',
  url: `${printFulfilmentPrefix}/v1/print-runs/:batchNumber/claim`,
  schema: {
    operationId: 'claimPrintRun',
    tags: ['print runs'],
    summary: 'Claim a print run, which freezes it',
    description:
      'The same Idempotency-Key always gets the same answer, byte for byte. Until it is acknowledged, a run can be ' +
      'claimed again under another key and is then given unchanged.',
    security,
    params: runParams,
    headers: idempotencyKey,
    body: claimRequestSchema,
    response: {
      200: claimResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The run has been acknowledged or has nothing left to print, or the key stands for another claim',
      ),
      ...everywhere,
    },
  },
} as const

export const getManifest = {
  method: 'GET',
  url: `${printFulfilmentPrefix}/v1/print-runs/:batchNumber/manifest`,
  schema: {
    operationId: 'getManifest',
    tags: ['print runs'],
    summary: 'Read the frozen list of a claimed print run',
    description: 'It never changes. Its ETag is its digest.',
    security,
    params: runParams,
    response: {
      200: manifestSchema,
      304: z.null().describe('If-None-Match names the digest'),
      404: printErrorsSchema.describe('The provider has not claimed such a print run'),
      ...everywhere,
    },
  },
} as const

export const getDocumentContent = {
  method: 'GET',
  url: `${printFulfilmentPrefix}/v1/print-runs/:batchNumber/documents/:documentId/content`,
  schema: {
    operationId: 'getDocumentContent',
    tags: ['documents'],
    summary: 'Get the address of a file',
    description: 'The address works for five minutes, without credentials; ask again for another.',
    security,
    params: runParams.extend({ documentId: text({ min: 1, max: 50 }) }),
    response: {
      303: z.null().describe('The file is at Location'),
      404: printErrorsSchema.describe('No such document in a run that the provider has claimed'),
      ...everywhere,
    },
  },
} as const

export const acknowledgePrintRun = {
  method: 'POST',
  url: `${printFulfilmentPrefix}/v1/print-runs/:batchNumber/acknowledgement`,
  schema: {
    operationId: 'acknowledgePrintRun',
    tags: ['print runs'],
    summary: 'Say that the manifest has arrived whole, and which documents are refused',
    description: 'Repeating it is safe.',
    security,
    params: runParams,
    body: acknowledgementRequestSchema,
    response: {
      200: acknowledgementResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe('Digest or counts differ; nothing has moved'),
      ...everywhere,
    },
  },
} as const

export const createPosting = {
  method: 'POST',
  url: `${printFulfilmentPrefix}/v1/postings`,
  schema: {
    operationId: 'createPosting',
    tags: ['postings'],
    summary: 'Save proof of posting',
    description: 'Nothing is despatched before the posting is confirmed.',
    security,
    headers: idempotencyKey,
    body: postingRequestSchema,
    response: {
      201: postingResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The run is not acknowledged, a document cannot be posted, or the key stands for another posting',
      ),
      ...everywhere,
    },
  },
} as const

export const confirmPosting = {
  method: 'POST',
  url: `${printFulfilmentPrefix}/v1/postings/:postingId/confirm`,
  schema: {
    operationId: 'confirmPosting',
    tags: ['postings'],
    summary: 'Confirm a posting: its print jobs are despatched',
    description: 'Confirming again changes nothing.',
    security,
    params: z.object({ postingId: z.string() }),
    response: {
      200: postingResponseSchema,
      404: printErrorsSchema.describe('The provider has no such posting'),
      ...everywhere,
    },
  },
} as const
