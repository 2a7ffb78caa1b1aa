import { ofCallback, replayResultSchema } from '../print-request/callback.ts'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import {
  allCallbacksQuerySchema,
  allCallbacksSchema,
  callbackOriginsQuerySchema,
  callbackOriginsSchema,
  callbackSummaryWithLogSchema,
  replayAllCallbacksSchema,
} from './callback.ts'
import { administrationPath } from './paths.ts'

const callbacks = `${administrationPath}/callbacks`
const callback = `${callbacks}/:callbackId`
const unknownCallback = printErrorsSchema.describe('The callback does not exist')

export const listAllCallbacks = {
  method: 'GET',
  url: callbacks,
  schema: {
    operationId: 'listAllCallbacks',
    tags: ['callbacks'],
    summary: 'List callbacks of all consumers, newest first',
    security,
    querystring: allCallbacksQuerySchema,
    response: { 200: allCallbacksSchema, 400: invalid, ...everywhere },
  },
} as const

export const getAnyCallback = {
  method: 'GET',
  url: callback,
  schema: {
    operationId: 'getAnyCallback',
    tags: ['callbacks'],
    summary: 'Get a callback with all attempts',
    security,
    params: ofCallback,
    response: {
      200: callbackSummaryWithLogSchema,
      400: invalid,
      404: unknownCallback,
      ...everywhere,
    },
  },
} as const

export const replayAnyCallback = {
  method: 'POST',
  url: `${callback}/replay`,
  schema: {
    operationId: 'replayAnyCallback',
    tags: ['callbacks'],
    summary: 'Send a callback again immediately',
    description: 'Sends the same message with the same id and starts a new retry window.',
    security,
    params: ofCallback,
    response: {
      202: callbackSummaryWithLogSchema,
      400: invalid,
      404: unknownCallback,
      ...everywhere,
    },
  },
} as const

export const replayAllCallbacks = {
  method: 'POST',
  url: `${callbacks}/replay`,
  schema: {
    operationId: 'replayAllCallbacks',
    tags: ['callbacks'],
    summary: 'Send many callbacks again',
    description:
      'Selects callbacks of one consumer, of one origin or of all. Send the request with dryRun first, then with the ' +
      'count that the dry run returned. Without a status, the request selects dead callbacks.',
    security,
    body: replayAllCallbacksSchema,
    response: {
      200: replayResultSchema.describe('The count of the dry run'),
      202: replayResultSchema.describe('The callbacks will be sent'),
      400: invalid,
      409: printErrorsSchema.describe('The count has changed since the dry run. Nothing is sent'),
      ...everywhere,
    },
  },
} as const

export const listCallbackOrigins = {
  method: 'GET',
  url: `${administrationPath}/callback-origins`,
  schema: {
    operationId: 'listCallbackOrigins',
    tags: ['callbacks'],
    summary: 'List callback origins and their problems',
    security,
    querystring: callbackOriginsQuerySchema,
    response: { 200: callbackOriginsSchema, 400: invalid, ...everywhere },
  },
} as const
