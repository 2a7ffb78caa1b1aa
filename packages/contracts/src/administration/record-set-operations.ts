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
const unknownRecordSet = printErrorsSchema.describe('No such record set')
const wrongState = printErrorsSchema.describe('The record set is not in the state that this wants')
const recordSetAnswers = { 400: invalid, 404: unknownRecordSet, ...everywhere }

export const beginRecordSet = {
  method: 'POST',
  url: recordSets,
  schema: {
    operationId: 'beginRecordSet',
    tags: ['record sets'],
    summary: 'Begin to load a set of records, or go on with the unfinished one of the same source',
    description: 'Wants the role of admin.',
    security,
    body: beginRecordSetSchema,
    response: {
      200: recordSetSchema.describe('The unfinished one; rowsRead says where to go on'),
      201: recordSetSchema,
      400: invalid,
      409: printErrorsSchema.describe(
        'Another one of this kind is unfinished; the detail names it',
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
    summary: 'List record sets, the newest first',
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
    summary: 'Read the state of a record set',
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
    summary: 'Add the next rows to a record set, one JSON object on each line',
    description:
      'Wants the role of admin. All rows are taken or rejected together, or none is. Repeating it is safe: rows that ' +
      'have been read are answered for as they were.',
    security,
    consumes: ['application/x-ndjson'],
    params: ofRecordSet,
    querystring: loadRowsQuerySchema,
    body: z
      .custom<Buffer>((body) => Buffer.isBuffer(body), 'must be lines of JSON')
      .meta({ type: 'string', description: 'Lines of JSON' }),
    response: {
      200: loadedRowsSchema,
      409: printErrorsSchema.describe(
        'The record set is not LOADING, or rows before these are missing',
      ),
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
    summary: 'List the rows that were not taken, with the reasons',
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
    summary: 'Let the set take the place of the current one',
    description:
      'Wants the role of admin. Goes on after the answer: the state is PUBLISHING and then CURRENT. Repeating it is safe ' +
      'and goes on with a publication that broke off.',
    security,
    params: ofRecordSet,
    response: {
      200: recordSetSchema.describe('It is the current one'),
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
    summary: 'Give up a set that has not been published, and drop its rows',
    description: 'Wants the role of admin. Repeating it is safe.',
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
    summary: 'Go back to a retired set; the current one is retired',
    description: 'Wants the role of admin. Repeating it is safe.',
    security,
    params: ofRecordSet,
    response: { 200: recordSetSchema, 409: wrongState, ...recordSetAnswers },
  },
} as const
