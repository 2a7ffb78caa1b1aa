import { ofCallback, replayResultSchema } from '../print-request/callback.ts'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, security } from './answers.ts'
import {
  callbackOriginsQuerySchema,
  callbackOriginsSchema,
  everyCallbackQuerySchema,
  everyCallbackSchema,
  replayAllCallbacksSchema,
  shownOverseenCallbackSchema,
} from './callback.ts'
import { administrationPath } from './paths.ts'

const callbacks = `${administrationPath}/callbacks`
const callback = `${callbacks}/:callbackId`
const unknownCallback = printErrorsSchema.describe('No such callback')

export const listAllCallbacks = {
  method: 'GET',
  url: callbacks,
  schema: {
    operationId: 'listAllCallbacks',
    tags: ['callbacks'],
    summary: 'List the callbacks of all consumers, the newest first',
    security,
    querystring: everyCallbackQuerySchema,
    response: { 200: everyCallbackSchema, 400: invalid, ...everywhere },
  },
} as const

export const getAnyCallback = {
  method: 'GET',
  url: callback,
  schema: {
    operationId: 'getAnyCallback',
    tags: ['callbacks'],
    summary: 'Read a callback with every attempt',
    security,
    params: ofCallback,
    response: {
      200: shownOverseenCallbackSchema,
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
    summary: 'Send a callback again, at once',
    description: 'The same message under the same id. A new retry window begins.',
    security,
    params: ofCallback,
    response: {
      202: shownOverseenCallbackSchema,
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
    summary: 'Send many callbacks again, of one consumer, one origin or all',
    description:
      'Ask with dryRun first, then with the count that it gave. Without a status, the dead ones.',
    security,
    body: replayAllCallbacksSchema,
    response: {
      200: replayResultSchema.describe('The count of a dry run'),
      202: replayResultSchema.describe('They are going to be sent'),
      400: invalid,
      409: printErrorsSchema.describe('The count is another by now; nothing is sent'),
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
    summary: 'List where callbacks go, with what is amiss there',
    security,
    querystring: callbackOriginsQuerySchema,
    response: { 200: callbackOriginsSchema, 400: invalid, ...everywhere },
  },
} as const
