import { printErrorsSchema } from '../print-request/problems.ts'

/** Every operation requires both. */
export const security = [{ jwt: [], apiKey: [] }]
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
