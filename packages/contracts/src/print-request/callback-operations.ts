import { z } from 'zod'
import { everywhere, printRequestPrefix, security } from './answers.ts'
import {
  callbacksQuerySchema,
  callbacksSchema,
  ofCallback,
  replayCallbacksSchema,
  replayResultSchema,
  shownCallbackSchema,
  testCallbackAnswerSchema,
  testCallbackSchema,
} from './callback.ts'
import { printErrorsSchema } from './problems.ts'
import {
  createdSigningSecretSchema,
  createSigningSecretSchema,
  ofSigningSecret,
  signingSecretsSchema,
} from './signing-secret.ts'

const callbacks = `${printRequestPrefix}/v1/callbacks`
const callback = `${callbacks}/:callbackId`
const signingSecrets = `${printRequestPrefix}/v1/callback-signing-secrets`
const addition = 'An addition to the specification.'
const invalid = printErrorsSchema.describe('Invalid parameters: one error for each fault')
const unknownCallback = printErrorsSchema.describe('No such callback')

export const listCallbacks = {
  method: 'GET',
  url: callbacks,
  schema: {
    operationId: 'listCallbacks',
    tags: ['callbacks'],
    summary: 'List your callbacks, the newest first',
    description: `${addition} Dead ones (status=DEAD) were given up, and are kept so that they can be sent again.`,
    security,
    querystring: callbacksQuerySchema,
    response: { 200: callbacksSchema, 400: invalid, ...everywhere },
  },
} as const

export const getCallback = {
  method: 'GET',
  url: callback,
  schema: {
    operationId: 'getCallback',
    tags: ['callbacks'],
    summary: 'Read a callback with its message and every attempt',
    description: addition,
    security,
    params: ofCallback,
    response: { 200: shownCallbackSchema, 400: invalid, 404: unknownCallback, ...everywhere },
  },
} as const

export const replayCallback = {
  method: 'POST',
  url: `${callback}/replay`,
  schema: {
    operationId: 'replayCallback',
    tags: ['callbacks'],
    summary: 'Send a callback again, at once',
    description: `${addition} The same message under the same id. A new retry window begins. One that is being sent at this moment is left alone.`,
    security,
    params: ofCallback,
    response: { 202: shownCallbackSchema, 400: invalid, 404: unknownCallback, ...everywhere },
  },
} as const

export const replayCallbacks = {
  method: 'POST',
  url: `${callbacks}/replay`,
  schema: {
    operationId: 'replayCallbacks',
    tags: ['callbacks'],
    summary: 'Send many callbacks again',
    description: `${addition} Ask with dryRun first, then with the count that it gave. Without a status, the dead ones.`,
    security,
    body: replayCallbacksSchema,
    response: {
      200: replayResultSchema.describe('The count of a dry run'),
      202: replayResultSchema.describe('They are going to be sent'),
      400: invalid,
      409: printErrorsSchema.describe('The count is another by now; nothing is sent'),
      ...everywhere,
    },
  },
} as const

export const sendTestCallback = {
  method: 'POST',
  url: `${callbacks}/test`,
  schema: {
    operationId: 'sendTestCallback',
    tags: ['callbacks'],
    summary: 'Have a test message sent',
    description: `${addition} Sent, signed and retried like any other callback; its type says that it is a test.`,
    security,
    body: testCallbackSchema,
    response: { 202: testCallbackAnswerSchema, 400: invalid, ...everywhere },
  },
} as const

export const listSigningSecrets = {
  method: 'GET',
  url: signingSecrets,
  schema: {
    operationId: 'listSigningSecrets',
    tags: ['callbacks'],
    summary: 'List the secrets that sign your callbacks',
    description: `${addition} The secrets themselves are not told.`,
    security,
    response: { 200: signingSecretsSchema, ...everywhere },
  },
} as const

export const createSigningSecret = {
  method: 'POST',
  url: signingSecrets,
  schema: {
    operationId: 'createSigningSecret',
    tags: ['callbacks'],
    summary: 'Make a secret that signs your callbacks',
    description: `${addition} The one before signs beside it for a while. There are two at most.`,
    security,
    body: createSigningSecretSchema,
    response: {
      201: createdSigningSecretSchema,
      400: invalid,
      409: printErrorsSchema.describe('Two secrets sign already: delete one first'),
      ...everywhere,
    },
  },
} as const

export const deleteSigningSecret = {
  method: 'DELETE',
  url: `${signingSecrets}/:secretId`,
  schema: {
    operationId: 'deleteSigningSecret',
    tags: ['callbacks'],
    summary: 'Stop a secret from signing, at once',
    description: addition,
    security,
    params: ofSigningSecret,
    response: {
      204: z.null().describe('It signs no more'),
      400: invalid,
      404: printErrorsSchema.describe('No such secret'),
      ...everywhere,
    },
  },
} as const
