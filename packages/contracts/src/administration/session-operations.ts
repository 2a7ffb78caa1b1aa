import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, sessionSecurity } from './answers.ts'
import { administrationPath } from './paths.ts'
import { createSessionSchema, sessionSchema } from './session.ts'

const sessions = `${administrationPath}/sessions`

export const createSession = {
  method: 'POST',
  url: sessions,
  schema: {
    operationId: 'createSession',
    tags: ['sessions'],
    summary: 'Sign in to the console',
    description:
      'Sets the cookie despatch-session, or __Host-despatch-session over https. Together with the header ' +
      'X-Despatch-Console: 1, the cookie replaces the JWT and API key for 8 hours. Signing out or changing the ' +
      'password ends the session earlier.',
    body: createSessionSchema,
    response: {
      201: sessionSchema,
      400: invalid,
      ...everywhere,
      401: printErrorsSchema.describe(
        'The user name or password is wrong, unknown, expired or disabled, or there were too many incorrect attempts',
      ),
      403: printErrorsSchema.describe('The user has neither the operator role nor the admin role'),
    },
  },
} as const

export const getSession = {
  method: 'GET',
  url: sessions,
  schema: {
    operationId: 'getSession',
    tags: ['sessions'],
    summary: 'Get the signed-in user of the console',
    security: sessionSecurity,
    response: {
      200: sessionSchema,
      ...everywhere,
      401: printErrorsSchema.describe(
        'No valid session, or the X-Despatch-Console header is missing',
      ),
    },
  },
} as const

export const deleteSession = {
  method: 'DELETE',
  url: sessions,
  schema: {
    operationId: 'deleteSession',
    tags: ['sessions'],
    summary: 'Sign out of the console',
    description:
      'Deletes the cookie and invalidates every copy of it. Repeating the request is safe.',
    response: { 204: z.null().describe('Signed out'), 500: everywhere[500] },
  },
} as const
