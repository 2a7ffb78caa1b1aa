import { z } from 'zod'
import { streamed } from '../binary.ts'
import { printErrorsSchema } from '../print-request/problems.ts'
import { acknowledgementRequestSchema, acknowledgementResponseSchema } from './acknowledgement.ts'
import {
  documentParams,
  everywhere,
  idempotencyKey,
  invalid,
  runParams,
  security,
  unknownRun,
} from './answers.ts'
import {
  claimRequestSchema,
  claimResponseSchema,
  leaseRequestSchema,
  leaseResponseSchema,
} from './claim.ts'
import { manifestSchema } from './manifest.ts'
import { printFulfilmentPrefix } from './paths.ts'
import {
  evidenceMax,
  evidenceRequestSchema,
  evidenceResponseSchema,
  postingRequestSchema,
  postingResponseSchema,
} from './posting.ts'
import { printRunsQuerySchema, printRunsSchema } from './print-run.ts'

/** Allows a posting that names every document of a print run. */
export const printFulfilmentBytesMax = 16 * 1024 * 1024

const ofPosting = z.object({ postingId: z.string() })
const unknownPosting = printErrorsSchema.describe('The provider has no such posting')

export const listPrintRuns = {
  method: 'GET',
  url: `${printFulfilmentPrefix}/v1/print-runs`,
  schema: {
    operationId: 'listPrintRuns',
    tags: ['print runs'],
    summary: 'List print runs, oldest deadline first',
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
        'The run has been acknowledged, was moved or has nothing left to print, or the key stands for another claim',
      ),
      ...everywhere,
    },
  },
} as const

export const renewLease = {
  method: 'POST',
  url: `${printFulfilmentPrefix}/v1/print-runs/:batchNumber/lease`,
  schema: {
    operationId: 'renewLease',
    tags: ['print runs'],
    summary: 'Take longer until the acknowledgement',
    description: 'The lease then runs for so long from now; it never becomes shorter.',
    security,
    params: runParams,
    body: leaseRequestSchema,
    response: {
      200: leaseResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe('The run is not claimed, has been acknowledged or was moved'),
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
    description:
      'It never changes. As JSON, or by the Accept header as NDJSON (application/x-ndjson: the run, its fulfilment jobs, ' +
      'its documents and the totals, one to a line, each with its type) or CSV (text/csv: a line for each document). ' +
      '?format= goes before Accept. Each has an ETag of its own, made from the digest. Digest, version and totals are in headers ' +
      'besides: Despatch-Manifest-Digest, Despatch-Manifest-Version, Despatch-Document-Count, Despatch-Sheet-Count, ' +
      'Despatch-Page-Count, Despatch-Byte-Count.',
    security,
    params: runParams,
    querystring: z.object({
      format: z.enum(['json', 'ndjson', 'csv']).exactOptional(),
    }),
    response: {
      200: {
        description: 'The manifest',
        content: {
          'application/json': { schema: manifestSchema },
          'application/x-ndjson': { schema: streamed },
          'text/csv': { schema: streamed },
        },
      },
      304: z.null().describe('If-None-Match names the ETag'),
      400: invalid,
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
    params: documentParams,
    response: {
      303: z.null().describe('The file is at Location'),
      404: printErrorsSchema.describe(
        'No such document in a run that the provider has claimed, or the run was moved',
      ),
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
      409: printErrorsSchema.describe(
        'Digest or counts differ, or the run was moved; nothing has changed',
      ),
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
    description:
      'It covers documents of one print run or of several. Nothing is despatched before the posting is confirmed. ' +
      'A document whose reprint was authorised is covered once the reprint was reported as PRINTED.',
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
    params: ofPosting,
    response: {
      200: postingResponseSchema,
      404: unknownPosting,
      ...everywhere,
    },
  },
} as const

export const getPosting = {
  method: 'GET',
  url: `${printFulfilmentPrefix}/v1/postings/:postingId`,
  schema: {
    operationId: 'getPosting',
    tags: ['postings'],
    summary: 'Read a posting',
    security,
    params: ofPosting,
    response: { 200: postingResponseSchema, 404: unknownPosting, ...everywhere },
  },
} as const

export const addPostingEvidence = {
  method: 'POST',
  url: `${printFulfilmentPrefix}/v1/postings/:postingId/evidence`,
  schema: {
    operationId: 'addPostingEvidence',
    tags: ['postings'],
    summary: 'Get an address to which a receipt or docket can be uploaded',
    description: `Each call gives another one; a posting has up to ${evidenceMax}.`,
    security,
    params: ofPosting,
    body: evidenceRequestSchema,
    response: {
      201: evidenceResponseSchema,
      400: invalid,
      404: unknownPosting,
      409: printErrorsSchema.describe('The posting has all the evidence that it may have'),
      ...everywhere,
    },
  },
} as const
