import { z } from 'zod'
import { everywhere, security } from './answers.ts'
import {
  callbacksQuerySchema,
  callbacksSchema,
  callbackWithLogSchema,
  ofCallback,
  replayCallbacksSchema,
  replayResultSchema,
  testCallbackAnswerSchema,
  testCallbackSchema,
} from './callback.ts'
import { printRequestPrefix } from './paths.ts'
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
const invalid = printErrorsSchema.describe('Invalid parameters, with one error for each violation')
const unknownCallback = printErrorsSchema.describe('The callback does not exist')

export const listCallbacks = {
  method: 'GET',
  url: callbacks,
  schema: {
    operationId: 'listCallbacks',
    tags: ['callbacks'],
    summary: 'List your callbacks, newest first',
    description: `${addition} A dead callback (status=DEAD) is no longer retried. It is kept so that you can send it again.`,
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
    summary: 'Get a callback with its message and all attempts',
    description: addition,
    security,
    params: ofCallback,
    response: { 200: callbackWithLogSchema, 400: invalid, 404: unknownCallback, ...everywhere },
  },
} as const

export const replayCallback = {
  method: 'POST',
  url: `${callback}/replay`,
  schema: {
    operationId: 'replayCallback',
    tags: ['callbacks'],
    summary: 'Send a callback again immediately',
    description:
      `${addition} Sends the same message with the same id and starts a new retry window. A callback that is being ` +
      'sent at this moment is left unchanged.',
    security,
    params: ofCallback,
    response: { 202: callbackWithLogSchema, 400: invalid, 404: unknownCallback, ...everywhere },
  },
} as const

export const replayCallbacks = {
  method: 'POST',
  url: `${callbacks}/replay`,
  schema: {
    operationId: 'replayCallbacks',
    tags: ['callbacks'],
    summary: 'Send many callbacks again',
    description:
      `${addition} Send the request with dryRun first, then with the count that the dry run returned. Without a ` +
      'status, the request selects dead callbacks.',
    security,
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

export const sendTestCallback = {
  method: 'POST',
  url: `${callbacks}/test`,
  schema: {
    operationId: 'sendTestCallback',
    tags: ['callbacks'],
    summary: 'Send a test callback',
    description: `${addition} The test message is sent, signed and retried like any other callback. Its type marks it as a test.`,
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
    description: `${addition} The secrets are masked.`,
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
    summary: 'Create a secret that signs your callbacks',
    description: `${addition} The previous secret also signs until its overlap ends. You can have at most two secrets.`,
    security,
    body: createSigningSecretSchema,
    response: {
      201: createdSigningSecretSchema,
      400: invalid,
      409: printErrorsSchema.describe('Two secrets are already active. Delete one first'),
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
    summary: 'Delete a signing secret',
    description: `${addition} The secret stops signing immediately.`,
    security,
    params: ofSigningSecret,
    response: {
      204: z.null().describe('The secret no longer signs callbacks'),
      400: invalid,
      404: printErrorsSchema.describe('The secret does not exist'),
      ...everywhere,
    },
  },
} as const
