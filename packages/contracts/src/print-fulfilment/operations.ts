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
/** Allows a posting of 10,000 documents with 100 properties each, of which each is an object of two values. */
export const printFulfilmentValuesMax = 4_000_000

const ofPosting = z.object({ postingId: z.string() })
const unknownPosting = printErrorsSchema.describe('The provider does not have this posting')

export const listPrintRuns = {
  method: 'GET',
  url: `${printFulfilmentPrefix}/v1/print-runs`,
  schema: {
    operationId: 'listPrintRuns',
    tags: ['print runs'],
    summary: 'List print runs, earliest deadline first',
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
    summary: 'Claim a print run and freeze it',
    description:
      'The same Idempotency-Key always returns the same response, byte for byte. Until the run is acknowledged, it can ' +
      'be claimed again with another key and is returned unchanged.',
    security,
    params: runParams,
    headers: idempotencyKey,
    body: claimRequestSchema,
    response: {
      200: claimResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The run was already acknowledged, was reassigned or has nothing left to print, or the key belongs to another ' +
          'claim',
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
    summary: 'Extend the lease on a print run',
    description: 'The lease lasts for the requested time from now. It never becomes shorter.',
    security,
    params: runParams,
    body: leaseRequestSchema,
    response: {
      200: leaseResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The run is not claimed, was already acknowledged or was reassigned',
      ),
      ...everywhere,
    },
  },
} as const

const manifestTags = { ETag: 'Computed from the digest. Each format has its own' }
const manifestTotals = {
  'Despatch-Manifest-Digest': 'manifestDigest of the run',
  'Despatch-Manifest-Version': 'Version of the format of the manifest',
  'Despatch-Document-Count': 'Number of documents',
  'Despatch-Sheet-Count': 'Number of sheets',
  'Despatch-Page-Count': 'Number of pages',
  'Despatch-Byte-Count': 'Size of all documents in bytes',
}

export const getManifest = {
  method: 'GET',
  url: `${printFulfilmentPrefix}/v1/print-runs/:batchNumber/manifest`,
  config: { sends: { 200: { ...manifestTags, ...manifestTotals }, 304: manifestTags } },
  schema: {
    operationId: 'getManifest',
    tags: ['print runs'],
    summary: 'Get the manifest of a claimed print run',
    description:
      'The manifest never changes. The response is JSON by default. The Accept header selects NDJSON or CSV, and the ' +
      'query parameter format overrides it. NDJSON (application/x-ndjson) has one line each for the run, its ' +
      'fulfilment jobs, its documents and the totals, each with its type. CSV (text/csv) has one line for each ' +
      'document. Headers contain the digest, version and totals.',
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
      304: z.null().describe('If-None-Match contains the ETag'),
      400: invalid,
      404: printErrorsSchema.describe('The provider has not claimed this print run'),
      ...everywhere,
    },
  },
} as const

export const getDocumentContent = {
  method: 'GET',
  url: `${printFulfilmentPrefix}/v1/print-runs/:batchNumber/documents/:documentId/content`,
  config: { sends: { 303: { Location: 'URL of the file, valid for five minutes' } } },
  schema: {
    operationId: 'getDocumentContent',
    tags: ['documents'],
    summary: 'Get the download URL of a file',
    description:
      'The URL works for five minutes without credentials. Call the operation again for a new one.',
    security,
    params: documentParams,
    response: {
      303: z.null().describe('The file is at the Location'),
      404: printErrorsSchema.describe(
        'The document is not in a run that the provider has claimed, or the run was reassigned',
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
    summary: 'Acknowledge a print run and refuse documents',
    description:
      'Confirms that the whole manifest arrived and lists the documents that the provider refuses. Repeating the ' +
      'request is safe.',
    security,
    params: runParams,
    body: acknowledgementRequestSchema,
    response: {
      200: acknowledgementResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The digest or counts differ, or the run was reassigned. Nothing changes',
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
    summary: 'Create a posting',
    description:
      'A posting is the proof that documents were posted. It covers documents of one or more print runs. No document ' +
      'is despatched until the posting is confirmed. A document with an authorised reprint is covered only after the ' +
      'reprint is reported as PRINTED.',
    security,
    headers: idempotencyKey,
    body: postingRequestSchema,
    response: {
      201: postingResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The run is not acknowledged, a document cannot be posted, or the key belongs to another posting',
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
    summary: 'Confirm a posting',
    description: 'The print jobs of the posting are despatched. Confirming again changes nothing.',
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
    summary: 'Get a posting',
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
    summary: 'Create an upload URL for a receipt or docket',
    description: `Each call returns a new URL. A posting has up to ${evidenceMax}.`,
    security,
    params: ofPosting,
    body: evidenceRequestSchema,
    response: {
      201: evidenceResponseSchema,
      400: invalid,
      404: unknownPosting,
      409: printErrorsSchema.describe('The posting has the maximum number of evidence files'),
      ...everywhere,
    },
  },
} as const
