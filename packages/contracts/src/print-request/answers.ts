import { printErrorsSchema } from './problems.ts'

/** Every operation requires both. */
export const printRequestSecuritySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'JWT from the authentication service. The prefix Bearer is optional',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const

export const security = [{ jwt: [], apiKey: [] }]
/** Errors that every operation can return. */
export const everywhere = {
  401: printErrorsSchema.describe('The API key or JWT is missing, expired or invalid'),
  403: printErrorsSchema.describe('The caller may not use the print job service'),
  429: printErrorsSchema.describe(
    'Too many requests for the usage plan or the service, or the checks of files have taken their processor time of the hour',
  ),
  500: printErrorsSchema.describe('Unexpected error. The detail contains an error id'),
  503: printErrorsSchema.describe('The service cannot take the request at present'),
}
