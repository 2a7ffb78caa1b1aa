import { z } from 'zod'
import { text } from '../text.ts'
import { changePasswordRequestSchema } from './change-password-request.ts'
import { accessErrorsSchema } from './problems.ts'

export const thirdpartyAccessPrefix = '/thirdparty-access'
export const thirdpartyAccessBytesMax = 16 * 1024

/** Only the operation that changes the API key requires both. */
export const thirdpartyAccessSecuritySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'From authenticate; with or without the word Bearer before it',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const

const empty = z.object({})
const everywhere = {
  413: accessErrorsSchema.describe('Payload Too Large'),
  415: accessErrorsSchema.describe('Unsupported Media Type'),
  429: accessErrorsSchema.describe('Too Many Requests'),
  500: accessErrorsSchema.describe('Internal Server Error'),
  503: accessErrorsSchema.describe('Service Unavailable'),
}
const malformed = accessErrorsSchema.describe('Malformed request; the details name the fields')
const authenticationFailure = accessErrorsSchema.describe(
  'Authentication Failure: wrong, unknown, expired or disabled, or too many incorrect attempts',
)

export const authenticate = {
  method: 'POST',
  url: `${thirdpartyAccessPrefix}/v1/authenticate`,
  schema: {
    operationId: 'authenticate',
    tags: ['credentials'],
    summary: 'Exchange a user name and password for a JWT',
    body: z.object({
      userName: text({ min: 1, max: 255 }),
      // No rule on the characters: generated passwords use every printable one.
      password: text({ min: 1, max: 1_024 }),
    }),
    response: {
      200: z.object({
        'id-token': z
          .string()
          .describe('The JWT, for the Authorization header of other services; valid for one hour'),
        apiKeyExpiry: z.iso.date().describe('Last day on which the API key works'),
        passwordExpiry: z.iso.date().describe('Last day on which the password works'),
      }),
      400: malformed,
      401: authenticationFailure,
      ...everywhere,
    },
  },
} as const

export const changePassword = {
  method: 'POST',
  url: `${thirdpartyAccessPrefix}/v1/password`,
  schema: {
    operationId: 'changePassword',
    tags: ['credentials'],
    summary: 'Set a new password',
    description:
      'Wants the current password or a recovery code, and neither JWT nor API key. JWTs that were issued before stay valid.',
    body: changePasswordRequestSchema,
    response: { 200: empty, 400: malformed, 401: authenticationFailure, ...everywhere },
  },
} as const

export const requestRecoveryCode = {
  method: 'POST',
  url: `${thirdpartyAccessPrefix}/v1/new-password`,
  schema: {
    operationId: 'requestRecoveryCode',
    tags: ['credentials'],
    summary: 'Have a recovery code sent to the e-mail address of the user',
    description:
      'The answer is the same whether or not the user name and e-mail address are those of a consumer. The code works once, for one hour, as verifyCode of the operation that sets a new password.',
    body: z.object({
      userName: text({ min: 1, max: 255 }),
      email: text({ min: 3, max: 254, pattern: /^[^\s@]+@[^\s@]+$/ }),
    }),
    response: {
      200: empty,
      400: malformed,
      ...everywhere,
      503: accessErrorsSchema.describe('Service Unavailable: no way to send mail is set up'),
    },
  },
} as const

export const changeApiKey = {
  method: 'POST',
  url: `${thirdpartyAccessPrefix}/v1/new-api-key`,
  schema: {
    operationId: 'changeApiKey',
    tags: ['credentials'],
    summary: 'Replace the API key',
    description:
      'The new key is shown this once and is valid for 365 days. When the answer goes out, the previous key has stopped working everywhere; with any other status it stays valid. Takes over a second.',
    security: [{ jwt: [], apiKey: [] }],
    response: {
      200: z.object({ newApiKey: z.string() }),
      400: malformed,
      401: accessErrorsSchema.describe(
        'Unauthorized: API key or JWT not provided, expired or invalid',
      ),
      409: accessErrorsSchema.describe('Conflict: the API key is being changed by another request'),
      ...everywhere,
    },
  },
} as const

export const listSigningKeys = {
  method: 'GET',
  url: `${thirdpartyAccessPrefix}/v1/jwks.json`,
  schema: {
    operationId: 'listSigningKeys',
    tags: ['credentials'],
    summary: 'The public keys that check the JWTs, as a JWK set',
    response: {
      200: z.object({
        keys: z.array(
          z.object({
            kid: z.string(),
            kty: z.literal('RSA'),
            alg: z.literal('RS256'),
            use: z.literal('sig'),
            n: z.string(),
            e: z.string(),
          }),
        ),
      }),
      429: accessErrorsSchema.describe('Too Many Requests'),
      500: accessErrorsSchema.describe('Internal Server Error'),
      503: accessErrorsSchema.describe('Service Unavailable'),
    },
  },
} as const
