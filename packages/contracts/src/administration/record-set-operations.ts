import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import {
  beginRecordSetSchema,
  loadedRowsSchema,
  loadRowsQuerySchema,
  ofRecordSet,
  recordSetSchema,
  recordSetsQuerySchema,
  recordSetsSchema,
  rejectsQuerySchema,
  rejectsSchema,
} from './record-set.ts'

/** Limit for the rows of one request. */
const rowsBytesMax = 8 * 1024 * 1024

const recordSets = `${administrationPath}/record-sets`
const recordSet = `${recordSets}/:recordSetId`
const unknownRecordSet = printErrorsSchema.describe('The record set does not exist')
const wrongState = printErrorsSchema.describe('The record set is not in the required state')
const recordSetAnswers = { 400: invalid, 404: unknownRecordSet, ...everywhere }

export const beginRecordSet = {
  method: 'POST',
  url: recordSets,
  schema: {
    operationId: 'beginRecordSet',
    tags: ['record sets'],
    summary: 'Create a record set or resume an unfinished one',
    description: 'Returns the unfinished record set of the same source, if there is one.',
    security,
    body: beginRecordSetSchema,
    response: {
      200: recordSetSchema.describe(
        'The unfinished record set of the same source. rowsRead says where to resume',
      ),
      201: recordSetSchema,
      400: invalid,
      409: printErrorsSchema.describe(
        'Another record set of this kind is unfinished. The detail names it',
      ),
      ...everywhere,
    },
  },
} as const

export const listRecordSets = {
  method: 'GET',
  url: recordSets,
  schema: {
    operationId: 'listRecordSets',
    tags: ['record sets'],
    summary: 'List record sets, newest first',
    security,
    querystring: recordSetsQuerySchema,
    response: { 200: recordSetsSchema, 400: invalid, ...everywhere },
  },
} as const

export const getRecordSet = {
  method: 'GET',
  url: recordSet,
  schema: {
    operationId: 'getRecordSet',
    tags: ['record sets'],
    summary: 'Get a record set',
    security,
    params: ofRecordSet,
    response: { 200: recordSetSchema, ...recordSetAnswers },
  },
} as const

export const loadRows = {
  method: 'POST',
  url: `${recordSet}/rows`,
  bodyLimit: rowsBytesMax,
  schema: {
    operationId: 'loadRows',
    tags: ['record sets'],
    summary: 'Add rows to a record set',
    description:
      'The body contains the next rows, one JSON object per line. All rows of a request are processed together or ' +
      'not at all. Repeating the request is safe: rows that were already read return their first result.',
    security,
    consumes: ['application/x-ndjson'],
    params: ofRecordSet,
    querystring: loadRowsQuerySchema,
    body: z
      .custom<Buffer>((body) => Buffer.isBuffer(body), 'must be lines of JSON')
      .meta({ type: 'string', description: 'One JSON object per line' }),
    response: {
      200: loadedRowsSchema,
      409: printErrorsSchema.describe('The record set is not LOADING, or earlier rows are missing'),
      413: printErrorsSchema.describe('More than 8 MiB'),
      ...recordSetAnswers,
    },
  },
} as const

export const listRejects = {
  method: 'GET',
  url: `${recordSet}/rejects`,
  schema: {
    operationId: 'listRejects',
    tags: ['record sets'],
    summary: 'List rejected rows with the reasons',
    security,
    params: ofRecordSet,
    querystring: rejectsQuerySchema,
    response: { 200: rejectsSchema, ...recordSetAnswers },
  },
} as const

export const publishRecordSet = {
  method: 'POST',
  url: `${recordSet}/publish`,
  schema: {
    operationId: 'publishRecordSet',
    tags: ['record sets'],
    summary: 'Publish a record set',
    description:
      'Replaces the current record set. Publishing continues after the response: the state is PUBLISHING and then ' +
      'CURRENT. Repeating the request is safe and resumes an interrupted publication.',
    security,
    params: ofRecordSet,
    response: {
      200: recordSetSchema.describe('The record set is the current one'),
      202: recordSetSchema,
      409: wrongState,
      ...recordSetAnswers,
    },
  },
} as const

export const abandonRecordSet = {
  method: 'POST',
  url: `${recordSet}/abandon`,
  schema: {
    operationId: 'abandonRecordSet',
    tags: ['record sets'],
    summary: 'Abandon an unpublished record set',
    description: 'The rows of the record set are dropped. Repeating the request is safe.',
    security,
    params: ofRecordSet,
    response: { 200: recordSetSchema, 409: wrongState, ...recordSetAnswers },
  },
} as const

export const makeRecordSetCurrent = {
  method: 'POST',
  url: `${recordSet}/make-current`,
  schema: {
    operationId: 'makeRecordSetCurrent',
    tags: ['record sets'],
    summary: 'Roll back to a retired record set',
    description: 'The current record set is retired. Repeating the request is safe.',
    security,
    params: ofRecordSet,
    response: { 200: recordSetSchema, 409: wrongState, ...recordSetAnswers },
  },
} as const
