import { z } from 'zod'
import { text } from '../text.ts'
import { changeApiKeyRequestSchema } from './change-api-key-request.ts'
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
    description: 'JWT from the authenticate operation. The prefix Bearer is optional',
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
const malformed = accessErrorsSchema.describe('Malformed request. The details name the fields')
const authenticationFailure = accessErrorsSchema.describe(
  'Authentication Failure: the credentials are wrong, unknown, expired or disabled, or there were too many ' +
    'incorrect attempts',
)

const outsideNetworks = accessErrorsSchema.describe(
  'Forbidden: the credentials are right, and the consumer may not use them from this address',
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
          .describe('JWT for the Authorization header of other services. Valid for one hour'),
        apiKeyExpiry: z.iso.date().describe('Last day on which the API key works'),
        passwordExpiry: z.iso.date().describe('Last day on which the password works'),
      }),
      400: malformed,
      401: authenticationFailure,
      403: outsideNetworks,
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
    summary: 'Change the password',
    description:
      'Requires the current password or a recovery code. Requires neither a JWT nor an API key. With status 200, the ' +
      'previous password has stopped working. JWTs that were issued before stay valid until they expire. With ' +
      '`endTokens`, or after a recovery code, they are refused within a second.',
    body: changePasswordRequestSchema,
    response: {
      200: empty,
      400: malformed,
      401: accessErrorsSchema.describe(
        'Unauthorized: the user name, password or code is wrong, unknown, expired or disabled, or there were too many ' +
          'incorrect attempts. The detail has the text of the specification, which speaks of the API key and the JWT',
      ),
      403: outsideNetworks,
      ...everywhere,
    },
  },
} as const

export const requestRecoveryCode = {
  method: 'POST',
  url: `${thirdpartyAccessPrefix}/v1/new-password`,
  schema: {
    operationId: 'requestRecoveryCode',
    tags: ['credentials'],
    summary: 'Request a recovery code by e-mail',
    description:
      'Sends a recovery code to the e-mail address of the user. The response is the same whether or not the user name ' +
      'and e-mail address belong to a consumer. The code works once, for one hour, as verifyCode of the operation that ' +
      'changes the password.',
    body: z.object({
      userName: text({ min: 1, max: 255 }),
      email: text({ min: 3, max: 254, pattern: /^[^\s@]+@[^\s@]+$/ }),
    }),
    response: {
      200: empty,
      400: malformed,
      ...everywhere,
      503: accessErrorsSchema.describe('Service Unavailable: e-mail is not configured'),
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
      'The new key is returned only once and is valid for 365 days. With status 200, the previous key has stopped ' +
      'working everywhere. JWTs that were issued before stay valid, with the new key, until they expire. With ' +
      '`endTokens` they are refused. With any other status, the previous key stays valid. The operation takes over a ' +
      'second.',
    security: [{ jwt: [], apiKey: [] }],
    body: changeApiKeyRequestSchema,
    response: {
      200: z.object({ newApiKey: z.string() }),
      400: malformed,
      401: accessErrorsSchema.describe(
        'Unauthorized: the API key or JWT is missing, expired or invalid',
      ),
      403: outsideNetworks,
      409: accessErrorsSchema.describe('Conflict: another request is changing the API key'),
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
    summary: 'Get the public keys that verify JWTs, as a JWK set',
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
