import { printErrorsSchema } from '../print-request/problems.ts'
import { security } from './answers.ts'
import { repeatedSignInSchema, resetPasswordSchema, rotatedApiKeySchema } from './consumer.ts'
import { consumer, consumerAnswers, ofConsumer } from './operations.ts'

const repeats =
  'An operator with a password repeats it; wrong attempts count like those of a sign-in. One whom the OpenID provider ' +
  'authenticated must have signed in again within the last 5 minutes.'
const unlessRepeated = {
  403: printErrorsSchema.describe(
    'The caller does not have the required role, or must sign in again by the OpenID provider',
  ),
}

export const rotateApiKey = {
  method: 'POST',
  url: `${consumer}/rotate-key`,
  schema: {
    operationId: 'rotateApiKey',
    tags: ['credentials'],
    summary: 'Rotate the API key of a consumer',
    description:
      'The previous API key stops working. The new API key is returned only once. An account that signs in by the ' +
      'OpenID provider cannot have one. ' +
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
  url: `${consumer}/reset-password`,
  schema: {
    operationId: 'resetPassword',
    tags: ['credentials'],
    summary: 'Reset the password of a consumer',
    description:
      'The previous password stops working. The new password is returned only once. An account that signs in by the ' +
      'OpenID provider cannot have one. ' +
      repeats,
    security,
    params: ofConsumer,
    body: repeatedSignInSchema,
    response: { 200: resetPasswordSchema, ...consumerAnswers, ...unlessRepeated },
  },
} as const
