import { printErrorsSchema } from './problems.ts'

export const printRequestPrefix = '/print-request'

/** Every operation requires both. */
export const printRequestSecuritySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'From the authentication service; with or without the word Bearer before it',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const

export const security = [{ jwt: [], apiKey: [] }]
/** Errors that every operation can return. */
export const everywhere = {
  401: printErrorsSchema.describe('API key or JWT not provided, expired or invalid'),
  403: printErrorsSchema.describe('The caller may not use the print job service'),
  429: printErrorsSchema.describe('More requests than the usage plan or the service allows'),
  500: printErrorsSchema.describe('Unexpected error; the detail carries an error id'),
  503: printErrorsSchema.describe('The service cannot take the request at present'),
}
