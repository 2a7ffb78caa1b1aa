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
  'No such fulfilment job in a run that the provider has claimed, or the run was moved',
)
const notAcknowledged = printErrorsSchema.describe(
  'The run is not in production: it was not acknowledged, was refused, or is closed',
)

export const reportItemEvents = {
  method: 'POST',
  url: `${printRun}/events`,
  schema: {
    operationId: 'reportItemEvents',
    tags: ['production'],
    summary: 'Report what became of single documents',
    description:
      'In any order, and as often as wanted: an event that is known changes nothing. Each has its own result; one that ' +
      'cannot be true holds no other up.',
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
    summary: 'Ask to print spoiled documents again',
    description:
      'Each gets a new attempt number. Within the quota of the site it is authorised at once; over it an operator decides. ' +
      'Asking again for the same attempt gives the same answer.',
    security,
    params: runParams,
    body: reprintsRequestSchema,
    response: {
      200: reprintsResponseSchema,
      400: invalid,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'The run is not in production, or a document was not reported as SPOILED; nothing is authorised',
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
    summary: 'Read how the documents of a print run are accounted for',
    security,
    params: runParams,
    querystring: reconciliationQuerySchema,
    response: {
      200: reconciliationSchema,
      400: invalid,
      404: printErrorsSchema.describe('The provider has not claimed such a print run'),
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
    summary: 'Close a print run whose every document is accounted for',
    description: 'Closing again gives the same answer.',
    security,
    params: runParams,
    response: {
      200: closeResponseSchema,
      404: unknownRun,
      409: printErrorsSchema.describe(
        'Documents are unaccounted for: one error for each, of the first hundred',
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
        description: 'A file documentId.pdf for each document',
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
      'In order of sequence. In a duplex run a document with an odd number of pages is followed by an empty page, so ' +
      'that the next begins on a front side: it then has twice its sheets in pages.',
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
    summary: 'Get the custom parameters that templates of the provider are filled with',
    description:
      'NDJSON: documentId, sequence, jobType, templateReference and customParams of each document whose contract gives them to ' +
      'the provider, in order of sequence. Parameters that are files are left out.',
    security,
    params: fulfilmentJobParams,
    response: {
      200: {
        description: 'A line for each document',
        content: { 'application/x-ndjson': { schema: streamed } },
      },
      404: unknownJob,
      ...everywhere,
    },
  },
} as const
