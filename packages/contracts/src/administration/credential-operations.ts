import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { consumerAnswers, everywhere, security } from './answers.ts'
import {
  consumerSchema,
  ofConsumer,
  repeatedSignInSchema,
  resetPasswordSchema,
  rotatedApiKeySchema,
} from './consumer.ts'
import { administrationPath, consumerPath } from './paths.ts'

const repeats =
  'An operator with a password repeats it; wrong attempts count like those of a sign-in. One whom the OpenID provider ' +
  'authenticates must have signed in again within the last 5 minutes.'
const unlessRepeated = {
  403: printErrorsSchema.describe(
    'The caller does not have the required role, or must sign in again by the OpenID provider',
  ),
}

export const rotateApiKey = {
  method: 'POST',
  url: `${consumerPath}/rotate-key`,
  schema: {
    operationId: 'rotateApiKey',
    tags: ['credentials'],
    summary: 'Rotate the API key of a consumer',
    description:
      'The previous API key and all JWTs stop working, and console sessions end. The new API key is returned only once. ' +
      'An account that signs in by the OpenID provider cannot have one. ' +
      repeats,
    security,
    params: ofConsumer,
    body: repeatedSignInSchema,
    response: {
      200: rotatedApiKeySchema,
      409: printErrorsSchema.describe('Another request is changing the API key. Retry the request'),
      ...consumerAnswers,
      ...unlessRepeated,
    },
  },
} as const

export const resetPassword = {
  method: 'POST',
  url: `${consumerPath}/reset-password`,
  schema: {
    operationId: 'resetPassword',
    tags: ['credentials'],
    summary: 'Reset the password of a consumer',
    description:
      'The previous password and all JWTs stop working, and console sessions end. The new password is returned only ' +
      'once. An account that signs in by the OpenID provider cannot have one. ' +
      repeats,
    security,
    params: ofConsumer,
    body: repeatedSignInSchema,
    response: { 200: resetPasswordSchema, ...consumerAnswers, ...unlessRepeated },
  },
} as const

export const endTokens = {
  method: 'POST',
  url: `${consumerPath}/end-tokens`,
  schema: {
    operationId: 'endTokens',
    tags: ['credentials'],
    summary: 'End all tokens of a consumer',
    description:
      'Refuses the JWTs of the consumer and ends its console sessions within a second. Its password and API key ' +
      'continue to work. Only an admin may end those of an operator or an admin. Repeating the request is safe.',
    security,
    params: ofConsumer,
    response: { 200: consumerSchema, ...consumerAnswers },
  },
} as const

export const rotateSigningKey = {
  method: 'POST',
  url: `${administrationPath}/signing-keys/rotate`,
  schema: {
    operationId: 'rotateSigningKey',
    tags: ['credentials'],
    summary: 'Rotate the JWT signing key',
    description:
      'JWTs are signed with the new key from now on. Existing JWTs stay valid until they expire.',
    security,
    response: { 200: z.object({ kid: z.string().describe('Id of the new key') }), ...everywhere },
  },
} as const
