import { returnReasonCodes } from '@despatch/domain/print-run/returned-letter'
import { z } from 'zod'
import { driverErrorsSchema } from '../driver-records/problems.ts'
import { text } from '../text.ts'
import { scenarioApis, scenarioSchema } from './scenario.ts'

export const uatPrefix = '/uat'
/** Far above the size of a callback. */
export const uatBytesMax = 64 * 1024

const tags = ['test environment']
const invalid = driverErrorsSchema.describe('Invalid parameters, with one error for each violation')
const fault = driverErrorsSchema.describe('Internal error. The detail contains an error id')
const unavailable = driverErrorsSchema.describe('The service cannot take the request at present')

export const listScenarios = {
  method: 'GET',
  url: `${uatPrefix}/scenarios`,
  schema: {
    operationId: 'listScenarios',
    tags,
    summary: 'List requests with a predefined outcome',
    security: [],
    querystring: z.object({
      api: z.enum(scenarioApis).exactOptional().describe('Only scenarios of this API'),
    }),
    response: { 200: z.object({ scenarios: z.array(scenarioSchema) }), 400: invalid, 500: fault },
  },
} as const

const cause = { reasonCode: z.string(), reason: z.string() }

/** What a simulated print provider does with a document. */
export const printOutcomeSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('print') }),
  z.object({ outcome: z.literal('hold') }).describe('Accept the document and never hand it over'),
  z.object({ outcome: z.literal('refuse'), ...cause }),
  z.object({ outcome: z.literal('spoil'), ...cause }).describe('Spoil only the first attempt'),
  z
    .object({ outcome: z.literal('fail'), ...cause })
    .describe('Accept the document and fail to print it'),
  z
    .object({ outcome: z.literal('return'), reasonCode: z.enum(returnReasonCodes) })
    .describe('Post the document and report it as returned'),
])

export type PrintOutcomeResponse = z.output<typeof printOutcomeSchema>

export const getPrintOutcome = {
  method: 'GET',
  url: `${uatPrefix}/print-outcomes/:documentId`,
  schema: {
    operationId: 'getPrintOutcome',
    tags,
    summary: 'Get the print outcome of a document',
    description: 'Returns what a simulated print provider must do with the document.',
    security: [],
    params: z.object({ documentId: text({ min: 1, max: 50 }) }),
    response: {
      200: printOutcomeSchema,
      400: invalid,
      404: driverErrorsSchema.describe('The document does not exist'),
      500: fault,
      503: unavailable,
    },
  },
} as const

/** How a test receiver of callbacks behaves: responds with an HTTP status, slowly, or with a redirect. */
export const receiverBehaviours = ['204', '400', '410', '429', '500', 'slow', 'redirect'] as const
export type ReceiverBehaviour = (typeof receiverBehaviours)[number]

const nothing = (description: string) => z.null().describe(description)

export const receiveCallback = {
  method: 'POST',
  url: `${uatPrefix}/receiver/:behaviour`,
  schema: {
    operationId: 'receiveCallback',
    tags,
    summary: 'Receive a callback and respond as the URL says',
    description:
      'Use the URL as callbackParams.target to see how failed callbacks are retried. Nothing that arrives is stored. ' +
      '429 asks the caller to retry after 10 seconds. slow responds with 204 after 20 seconds, which is longer than a ' +
      'callback waits. redirect responds with 307 and a URL that returns 204. Callbacks do not follow it.',
    security: [],
    params: z.object({ behaviour: z.enum(receiverBehaviours) }),
    response: {
      204: nothing('204 or slow'),
      307: nothing('redirect'),
      400: driverErrorsSchema
        .nullable()
        .describe('400 with an empty body, or the behaviour does not exist'),
      410: nothing('410: the other callbacks of the print job end too'),
      429: nothing('429, with Retry-After'),
      500: nothing('500'),
      503: driverErrorsSchema.describe('slow: too many requests are already waiting'),
    },
  },
} as const
