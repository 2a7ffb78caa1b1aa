import { streamed } from '../binary.ts'
import { printErrorsSchema } from '../print-request/problems.ts'
import {
  everywhere,
  fulfilmentJobParams,
  invalid,
  runParams,
  security,
  unknownRun,
} from './answers.ts'
import { itemEventsRequestSchema, itemEventsResponseSchema } from './item-event.ts'
import { printFulfilmentPrefix } from './paths.ts'
import {
  closeResponseSchema,
  reconciliationQuerySchema,
  reconciliationSchema,
} from './reconciliation.ts'
import { reprintsQuerySchema, reprintsRequestSchema, reprintsResponseSchema } from './reprint.ts'

const printRun = `${printFulfilmentPrefix}/v1/print-runs/:batchNumber`
const fulfilmentJob = `${printRun}/fulfilment-jobs/:fulfilmentJobId`
const unknownJob = printErrorsSchema.describe(
  'The fulfilment job is not in a run that the provider has claimed, or the run was reassigned',
)
const notAcknowledged = printErrorsSchema.describe(
  'The run is not in production: it was not acknowledged, was refused or is closed',
)

export const reportItemEvents = {
  method: 'POST',
  url: `${printRun}/events`,
  schema: {
    operationId: 'reportItemEvents',
    tags: ['production'],
    summary: 'Report production events of documents',
    description:
      'Send events in any order and as often as needed. A known event changes nothing. Each event has its own result. ' +
      'An impossible event does not affect the others.',
    security,
    params: runParams,
    body: itemEventsRequestSchema,
    response: {
      200: itemEventsResponseSchema,
      400: invalid,
      404: unknownRun,
      409: notAcknowledged,
      ...everywhere,
    },
  },
} as const

export const requestReprints = {
  method: 'POST',
  url: `${printRun}/reprints`,
  schema: {
    operationId: 'requestReprints',
    tags: ['production'],
    summary: 'Request reprints of spoiled documents',
    description:
      'Each reprint has a new attempt number. A reprint within the quota of the site is authorised immediately. An ' +
      'operator decides on reprints above the quota. Requesting the same attempt again returns the same response.',
    security,
    params: runParams,
    body: reprintsRequestSchema,
    response: {
      200: reprintsResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The run is not in production, or a document was not reported as SPOILED. Nothing is authorised',
      ),
      ...everywhere,
    },
  },
} as const

export const listReprints = {
  method: 'GET',
  url: `${printRun}/reprints`,
  schema: {
    operationId: 'listReprints',
    tags: ['production'],
    summary: 'List the reprints of a print run',
    security,
    params: runParams,
    querystring: reprintsQuerySchema,
    response: { 200: reprintsResponseSchema, 400: invalid, 404: unknownRun, ...everywhere },
  },
} as const

export const getReconciliation = {
  method: 'GET',
  url: `${printRun}/reconciliation`,
  schema: {
    operationId: 'getReconciliation',
    tags: ['production'],
    summary: 'Get the reconciliation of a print run',
    security,
    params: runParams,
    querystring: reconciliationQuerySchema,
    response: {
      200: reconciliationSchema,
      400: invalid,
      404: printErrorsSchema.describe('The provider has not claimed this print run'),
      ...everywhere,
    },
  },
} as const

export const closePrintRun = {
  method: 'POST',
  url: `${printRun}/close`,
  schema: {
    operationId: 'closePrintRun',
    tags: ['production'],
    summary: 'Close a print run',
    description: 'Every document must be accounted for. Closing again returns the same response.',
    security,
    params: runParams,
    response: {
      200: closeResponseSchema,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'Documents are unaccounted for. Contains one error for each of the first 100 documents',
      ),
      ...everywhere,
    },
  },
} as const

export const getDocumentsZip = {
  method: 'GET',
  url: `${fulfilmentJob}/documents.zip`,
  schema: {
    operationId: 'getDocumentsZip',
    tags: ['documents'],
    summary: 'Get the files of a fulfilment job as one ZIP',
    security,
    params: fulfilmentJobParams,
    response: {
      200: {
        description: 'A file named documentId.pdf for each document',
        content: { 'application/zip': { schema: streamed } },
      },
      404: unknownJob,
      ...everywhere,
    },
  },
} as const

export const getPrintStream = {
  method: 'GET',
  url: `${fulfilmentJob}/print-stream.pdf`,
  schema: {
    operationId: 'getPrintStream',
    tags: ['documents'],
    summary: 'Get the files of a fulfilment job as one PDF',
    description:
      'The documents are in order of sequence. In a duplex run an empty page follows a document with an odd number of ' +
      'pages, so that the next document begins on a front side. Each document then has twice as many pages as sheets.',
    security,
    params: fulfilmentJobParams,
    response: {
      200: { description: 'The files', content: { 'application/pdf': { schema: streamed } } },
      404: unknownJob,
      ...everywhere,
    },
  },
} as const

export const getTemplateData = {
  method: 'GET',
  url: `${fulfilmentJob}/template-data`,
  schema: {
    operationId: 'getTemplateData',
    tags: ['documents'],
    summary: 'Get the template data of a fulfilment job',
    description:
      'NDJSON with documentId, sequence, jobType, templateReference and customParams of each document, in order of ' +
      'sequence. Contains only documents whose contract shares custom parameters with the provider, for templates that ' +
      'the provider fills in. Omits parameters that are files.',
    security,
    params: fulfilmentJobParams,
    response: {
      200: {
        description: 'One line for each document',
        content: { 'application/x-ndjson': { schema: streamed } },
      },
      404: unknownJob,
      ...everywhere,
    },
  },
} as const
