import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { everywhere, invalid, sessionSecurity } from './answers.ts'
import { administrationPath } from './paths.ts'
import {
  beginOidcSignInSchema,
  createSessionSchema,
  endedOidcSessionSchema,
  oidcResponseSchema,
  oidcSignInSchema,
  sessionSchema,
  signInMethodsSchema,
} from './session.ts'

const oidcSignIns = `${administrationPath}/oidc-sign-ins`
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
      403: printErrorsSchema.describe(
        'The user has neither the operator role nor the admin role, or must sign in by the OpenID provider',
      ),
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
      'Deletes the cookie and invalidates every copy of it. Repeating the request is safe. If an OpenID provider ' +
      'authenticated the user, it may have a session of its own, which the browser must end there.',
    response: {
      200: endedOidcSessionSchema.describe('Signed out of the console. The provider has a session'),
      204: z.null().describe('Signed out'),
      500: everywhere[500],
    },
  },
} as const

export const listSignInMethods = {
  method: 'GET',
  url: `${administrationPath}/sign-in-methods`,
  schema: {
    operationId: 'listSignInMethods',
    tags: ['sessions'],
    summary: 'List the ways to sign in to the console',
    response: { 200: signInMethodsSchema, 500: everywhere[500] },
  },
} as const

const noProvider = printErrorsSchema.describe('No OpenID provider is set up')

export const beginOidcSignIn = {
  method: 'POST',
  url: oidcSignIns,
  schema: {
    operationId: 'beginOidcSignIn',
    tags: ['sessions'],
    summary: 'Begin a sign-in to the console by the OpenID provider',
    description:
      'Sets a cookie that binds the sign-in to this browser for 15 minutes. The provider sends the browser back to the ' +
      'sign-in page of the console.',
    body: beginOidcSignInSchema,
    response: {
      201: oidcSignInSchema,
      400: invalid,
      403: printErrorsSchema.describe('A page of another origin made the request'),
      404: noProvider,
      500: everywhere[500],
      503: printErrorsSchema.describe('The provider does not respond, or does not accept Despatch'),
    },
  },
} as const

export const finishOidcSignIn = {
  method: 'POST',
  url: `${oidcSignIns}/finish`,
  schema: {
    operationId: 'finishOidcSignIn',
    tags: ['sessions'],
    summary: 'Finish a sign-in to the console by the OpenID provider',
    description:
      'Takes the parameters with which the provider sent the browser back, and sets the cookie of createSession. The ' +
      'roles are those that the provider states now. A repeat is refused, because each code works once.',
    body: oidcResponseSchema,
    response: {
      201: sessionSchema,
      400: invalid,
      401: printErrorsSchema.describe(
        'The sign-in was cancelled, used before, has expired, began in another browser, or its response is not valid',
      ),
      403: printErrorsSchema.describe(
        'The provider states neither the operator role nor the admin role, or the account is disabled',
      ),
      404: noProvider,
      500: everywhere[500],
      503: printErrorsSchema.describe('The provider does not respond, or does not accept Despatch'),
    },
  },
} as const
