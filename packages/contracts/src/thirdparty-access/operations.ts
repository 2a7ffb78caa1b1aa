import { z } from 'zod'
import { text } from '../text.ts'
import { accessErrorsSchema } from './problems.ts'

export const thirdpartyAccessPrefix = '/thirdparty-access'
export const thirdpartyAccessBytesMax = 16 * 1024

/** No rule on the characters: generated passwords use every printable one. */
const password = text({ min: 1, max: 1_024 })

export const authenticate = {
  method: 'POST',
  url: `${thirdpartyAccessPrefix}/v1/authenticate`,
  schema: {
    operationId: 'authenticate',
    tags: ['credentials'],
    summary: 'Exchange a user name and password for a JWT',
    body: z.object({ userName: text({ min: 1, max: 255 }), password }),
    response: {
      200: z.object({
        'id-token': z
          .string()
          .describe('The JWT, for the Authorization header of other services; valid for one hour'),
        apiKeyExpiry: z.iso.date().describe('Last day on which the API key works'),
        passwordExpiry: z.iso.date().describe('Last day on which the password works'),
      }),
      400: accessErrorsSchema.describe('Malformed request'),
      401: accessErrorsSchema.describe('Authentication Failure'),
      500: accessErrorsSchema.describe('Internal Server Error'),
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
      500: accessErrorsSchema.describe('Internal Server Error'),
    },
  },
} as const
