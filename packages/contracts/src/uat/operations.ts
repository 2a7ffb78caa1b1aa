import { returnReasonCodes } from '@despatch/domain/print-run/returned-letter'
import { z } from 'zod'
import { driverErrorsSchema } from '../driver-records/problems.ts'
import { text } from '../text.ts'
import { scenarioApis, scenarioSchema } from './scenario.ts'

export const uatPrefix = '/uat'
/** Far above the size of a callback. */
export const uatBytesMax = 64 * 1024

const tags = ['test environment']
const invalid = driverErrorsSchema.describe('Invalid parameters: one error for each fault')
const fault = driverErrorsSchema.describe('Internal error; the detail carries an error id')
const unavailable = driverErrorsSchema.describe('The service cannot take the request at present')

export const listScenarios = {
  method: 'GET',
  url: `${uatPrefix}/scenarios`,
  schema: {
    operationId: 'listScenarios',
    tags,
    summary: 'List the requests whose outcome is predefined',
    security: [],
    querystring: z.object({
      api: z.enum(scenarioApis).exactOptional().describe('Only the scenarios of one interface'),
    }),
    response: { 200: z.object({ scenarios: z.array(scenarioSchema) }), 400: invalid, 500: fault },
  },
} as const

const cause = { reasonCode: z.string(), reason: z.string() }

/** What a simulated print provider does with a document. */
export const printOutcomeSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('print') }),
  z.object({ outcome: z.literal('hold') }).describe('Accept it and never hand it over'),
  z.object({ outcome: z.literal('refuse'), ...cause }),
  z.object({ outcome: z.literal('spoil'), ...cause }).describe('Spoil its first attempt only'),
  z.object({ outcome: z.literal('fail'), ...cause }).describe('Accept it and fail to print it'),
  z
    .object({ outcome: z.literal('return'), reasonCode: z.enum(returnReasonCodes) })
    .describe('Post it, and report it as returned'),
])

export type PrintOutcomeResponse = z.output<typeof printOutcomeSchema>

export const getPrintOutcome = {
  method: 'GET',
  url: `${uatPrefix}/print-outcomes/:documentId`,
  schema: {
    operationId: 'getPrintOutcome',
    tags,
    summary: 'Say what a simulated print provider is to do with a document',
    security: [],
    params: z.object({ documentId: text({ min: 1, max: 50 }) }),
    response: {
      200: printOutcomeSchema,
      400: invalid,
      404: driverErrorsSchema.describe('There is no such document'),
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
    summary: 'Receive a callback and answer as the address says',
    description:
      'For callbackParams.target, to see how failed callbacks are retried. Nothing of what arrives is kept. ' +
      '429 asks to come back after 10 seconds. slow answers 204 after 20 seconds, later than a callback waits. ' +
      'redirect answers 307 with an address that answers 204; callbacks do not follow it.',
    security: [],
    params: z.object({ behaviour: z.enum(receiverBehaviours) }),
    response: {
      204: nothing('204 or slow'),
      307: nothing('redirect'),
      400: driverErrorsSchema.nullable().describe('400, with an empty body; or no such behaviour'),
      410: nothing('410: the other callbacks of the print job end too'),
      429: nothing('429, with Retry-After'),
      500: nothing('500'),
      503: driverErrorsSchema.describe('slow: too many are waiting already'),
    },
  },
} as const
