import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid } from './answers.ts'
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
      'Sets the cookie despatch-session, over https __Host-despatch-session, which serves for 8 hours in the place of JWT and ' +
      'API key: together with the header X-Despatch-Console: 1. It ends before that by signing out, and with a change of the ' +
      'password.',
    body: createSessionSchema,
    response: {
      201: sessionSchema,
      400: invalid,
      ...everywhere,
      401: printErrorsSchema.describe(
        'Wrong, unknown, expired or disabled, or too many incorrect attempts',
      ),
      403: printErrorsSchema.describe('Neither an operator nor an admin'),
    },
  },
} as const

export const getSession = {
  method: 'GET',
  url: sessions,
  schema: {
    operationId: 'getSession',
    tags: ['sessions'],
    summary: 'Read who has signed in to the console',
    response: {
      200: sessionSchema,
      ...everywhere,
      401: printErrorsSchema.describe('Nobody has, with this cookie, or the header is missing'),
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
    description: 'Takes the cookie back, and no copy of it serves any more. Repeating it is safe.',
    response: { 204: z.null().describe('Signed out'), 500: everywhere[500] },
  },
} as const
