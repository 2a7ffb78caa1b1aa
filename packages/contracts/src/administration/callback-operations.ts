import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { ofCallback, replayResultSchema } from '../print-request/callback.ts'
import { printErrorsSchema } from '../print-request/problems.ts'
import { actionRoute, actionSchema } from './action-operation.ts'
import { everywhere, invalid, security } from './answers.ts'
import {
  allCallbacksQuerySchema,
  allCallbacksSchema,
  callbackOriginsQuerySchema,
  callbackOriginsSchema,
  callbackSummaryWithLogSchema,
  replayCallbacksSchema,
} from './callback.ts'
import {
  callbackPerformanceQuerySchema,
  callbackPerformanceSchema,
  callbacksReadMax,
} from './callback-performance.ts'
import { administrationPath } from './paths.ts'

const callbacks = `${administrationPath}/callbacks`
const callback = `${callbacks}/:callbackId`
const unknownCallback = printErrorsSchema.describe('The callback does not exist')

export const listCallbacks = {
  method: 'GET',
  url: callbacks,
  schema: {
    operationId: 'listCallbacks',
    tags: ['callbacks'],
    summary: 'List callbacks of all consumers, newest first',
    security,
    querystring: allCallbacksQuerySchema,
    response: { 200: allCallbacksSchema, 400: invalid, ...everywhere },
  },
} as const

export const getCallback = {
  method: 'GET',
  url: callback,
  schema: {
    operationId: 'getCallback',
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

export const replayCallback = {
  ...actionRoute(callbackActions.replay),
  schema: {
    ...actionSchema(callbackActions.replay, 'Starts a new retry window.'),
    tags: ['callbacks'],
    summary: 'Send a callback again immediately',
    params: ofCallback,
    response: {
      202: callbackSummaryWithLogSchema,
      400: invalid,
      404: unknownCallback,
      ...everywhere,
    },
  },
} as const

export const replayCallbacks = {
  ...actionRoute(callbackActions['replay-many']),
  schema: {
    ...actionSchema(
      callbackActions['replay-many'],
      'Selects callbacks of one consumer, of one origin or of all. Send the request with dryRun first, then with the ' +
        'count that the dry run returned. Without a status, the request selects dead callbacks.',
    ),
    tags: ['callbacks'],
    summary: 'Send many callbacks again',
    body: replayCallbacksSchema,
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

export const listCallbackPerformance = {
  method: 'GET',
  url: `${administrationPath}/callback-performance`,
  schema: {
    operationId: 'listCallbackPerformance',
    tags: ['callbacks'],
    summary: 'List success and latency of callbacks by consumer and origin',
    description:
      `Counts callbacks that were created in the period, and their attempts in it. Of each consumer, the newest ` +
      `${callbacksReadMax} callbacks are read. \`halfHours\` counts all attempts of the last 24 hours.`,
    security,
    querystring: callbackPerformanceQuerySchema,
    response: { 200: callbackPerformanceSchema, 400: invalid, ...everywhere },
  },
} as const
