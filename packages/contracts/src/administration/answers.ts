import { printRequestSecuritySchemes } from '../print-request/answers.ts'
import { printErrorsSchema } from '../print-request/problems.ts'

export const sessionSecurity = [{ session: [], console: [] }]
/** Every operation requires a JWT and an API key, or a session of the console. */
export const security = [{ jwt: [], apiKey: [] }, ...sessionSecurity]
export const administrationSecuritySchemes = {
  ...printRequestSecuritySchemes,
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'despatch-session',
    description: 'Set by createSession. Its name is __Host-despatch-session over https',
  },
  console: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Despatch-Console',
    description: 'Always 1, so that no form of another site can use a session',
  },
} as const
/** Responses that every operation can return. */
export const everywhere = {
  401: printErrorsSchema.describe('The API key or JWT is missing, expired or invalid'),
  403: printErrorsSchema.describe('The caller does not have the required role'),
  500: printErrorsSchema.describe('Unexpected error. The detail contains an error id'),
  503: printErrorsSchema.describe('The service cannot take the request at present'),
}
export const invalid = printErrorsSchema.describe(
  'Invalid parameters, with one error for each violation',
)
/** Errors that every operation on one consumer can return, besides its own responses. */
export const consumerAnswers = {
  400: invalid,
  404: printErrorsSchema.describe('The consumer does not exist'),
  ...everywhere,
}
