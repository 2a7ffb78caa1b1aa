import { messageSource } from '@despatch/domain/callback/message'
import { returnMessageType } from '@despatch/domain/callback/return-message'
import { statusMessageType } from '@despatch/domain/callback/status-message'
import { testMessageType } from '@despatch/domain/callback/test-message'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import { returnDispositions, returnReasonCodes } from '@despatch/domain/print-run/returned-letter'
import { z } from 'zod'
import { printJobResponseSchema } from './print-job-response.ts'

const jobId = z.string().describe('Id of the print job, exactly as submitted')
const sequence = z
  .number()
  .meta({ type: 'integer', minimum: 1 })
  .describe('Position among the callbacks of its print job, without gaps')
const wholeSeconds = z.iso.datetime({ precision: 0 })
const metadataSchema = z.object({
  correlationId: z.string().describe('The same as x-correlation-id'),
})
const ofPrintJob = { jobId, jobType: z.string(), templateReference: z.string() }

export const printJobStatusMessageSchema = message(
  statusMessageType,
  z.object({
    ...ofPrintJob,
    jobStatus: z.enum(printJobStatuses),
    transitionDate: wholeSeconds.describe('When the print job got the status'),
    sequence,
    comment: z.string().optional().describe('About this change of status'),
    despatchProperties: printJobResponseSchema.shape.despatchProperties.describe(
      'Present if DESPATCHED. totalSheets, postageClass and mailingProduct are always among them',
    ),
  }),
)

export const letterReturnedMessageSchema = message(
  returnMessageType,
  z.object({
    ...ofPrintJob,
    businessIdentifier: z.string().optional(),
    reasonCode: z.enum(returnReasonCodes),
    reason: z.string(),
    disposition: z.enum(returnDispositions),
    returnedDate: wholeSeconds.describe('When the provider found the letter in its mail'),
    sequence,
  }),
)

export const testMessageSchema = message(
  testMessageType,
  z.object({ sequence, comment: z.string() }),
)

/** The envelope of every callback. A member without a value is omitted, never null. */
function message<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({
    specVersion: z.literal('1'),
    type: z.literal(type),
    source: z.literal(messageSource),
    id: z.string().describe('Id of the message, the same as webhook-id'),
    time: z.iso.datetime().describe('When the message was created'),
    dataContentType: z.literal('application/json'),
    data,
    metadata: metadataSchema,
  })
}

const text = { type: 'string' } as const
const parameters = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'Id of the message. The same in every attempt and replay',
    schema: text,
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Time of this attempt, in seconds since 1970',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: false,
    description:
      'Present once you have a secret: v1, and base64, as Standard Webhooks define it. While two secrets are live, it ' +
      'has two signatures, separated by a space',
    schema: text,
  },
  {
    name: 'authorization',
    in: 'header',
    required: false,
    description: 'The authenticationHeader of callbackParams',
    schema: text,
  },
  {
    name: 'x-correlation-id',
    in: 'header',
    required: true,
    description: 'Correlation id of the print job',
    schema: text,
  },
  {
    name: 'traceparent',
    in: 'header',
    required: false,
    description: 'The trace to continue (W3C Trace Context)',
    schema: text,
  },
] as const

const responses = {
  '2XX': { description: 'Delivered. Not sent again unless you ask' },
  '3XX': { description: 'Retried at the same address. Redirects are not followed' },
  408: { description: 'Retried' },
  410: { description: 'No further callback of this print job is sent' },
  425: { description: 'Retried' },
  429: { description: 'Retried. Retry-After delays the next attempt' },
  '4XX': { description: 'Not retried, because the same bytes would be refused again' },
  '5XX': { description: 'Retried. Retry-After delays the next attempt' },
} as const

const tags = ['callbacks']
const answer = 'Answer within 15 seconds. Ignore members that you do not know.'
const envelope = { specVersion: '1', source: messageSource, dataContentType: 'application/json' }
const metadata = { correlationId: '5b0e6a0c-6a55-4f3e-9a44-0d6f4a1f7c3e' }
const letter = { jobType: 'LETTER', templateReference: 'LETTER' }

/** The requests to the target of `callbackParams`, by the name of their message. */
export const callbackWebhooks = {
  printJobStatus: {
    tags,
    summary: 'A print job has reached a status',
    description: `Sent for the statuses of the contract: DESPATCHED and REJECTED by default. ${answer}`,
    parameters,
    body: printJobStatusMessageSchema,
    examples: {
      despatched: {
        ...envelope,
        type: statusMessageType,
        id: '019d3c1e-7b52-7d0a-8f41-6f1f6b0a2c11',
        time: '2026-11-20T12:06:40.113Z',
        data: {
          jobId: '7d1e9a52-3c46-4f0b-8a77-61c0f4b2d802',
          ...letter,
          jobStatus: 'DESPATCHED',
          transitionDate: '2026-11-20T12:06:40Z',
          sequence: 1,
          despatchProperties: [
            { key: 'totalSheets', value: '1' },
            { key: 'postageClass', value: '2ND' },
            { key: 'mailingProduct', value: 'UNCODED' },
          ],
        },
        metadata,
      },
      rejected: {
        ...envelope,
        type: statusMessageType,
        id: '019d3c1e-7b53-7a97-b6f2-3e9a1c7d5f02',
        time: '2026-11-20T12:06:31.420Z',
        data: {
          jobId: '0c2f7c0e-5b1d-4a54-9d5e-2f6b8a9c1e01',
          ...letter,
          jobStatus: 'REJECTED',
          transitionDate: '2026-11-20T12:06:31Z',
          sequence: 1,
          comment: 'The address has no line with a letter or a digit.',
        },
        metadata: { correlationId: '0f6f1d5e-2f0c-4e0b-8a0f-1d2c3b4a5968' },
      },
    },
    responses,
  },
  letterReturned: {
    tags,
    summary: 'A letter came back',
    description: `Sent only if the contract asks for it. The print job stays DESPATCHED. ${answer}`,
    parameters,
    body: letterReturnedMessageSchema,
    examples: {
      returned: {
        ...envelope,
        type: returnMessageType,
        id: '019d3c1e-9c10-7e55-a1d8-5b2f7e4c6a93',
        time: '2026-11-20T12:06:41.007Z',
        data: {
          jobId: '7d1e9a52-3c46-4f0b-8a77-61c0f4b2d802',
          ...letter,
          reasonCode: 'R01',
          reason: 'gone away',
          disposition: 'DESTROYED',
          returnedDate: '2026-11-20T12:06:40Z',
          sequence: 2,
        },
        metadata,
      },
    },
    responses,
  },
  testMessage: {
    tags,
    summary: 'A test message',
    description: `Sent by sendTestCallback. It concerns no print job: answer 204 and do nothing. ${answer}`,
    parameters,
    body: testMessageSchema,
    examples: {
      test: {
        ...envelope,
        type: testMessageType,
        id: '019d3c1d-4e20-7c3b-9f60-8a7b6c5d4e3f',
        time: '2026-11-20T12:06:20.001Z',
        data: { sequence: 1, comment: 'Test message: no print job has changed' },
        metadata: { correlationId: '019d3c1d-4e20-7c3b-9f60-8a7b6c5d4e3f' },
      },
    },
    responses,
  },
} as const
