import { printErrorsSchema } from '../print-request/problems.ts'

/** Every operation requires both. */
export const security = [{ jwt: [], apiKey: [] }]
/** Responses that every operation can return. */
export const everywhere = {
  401: printErrorsSchema.describe('API key or JWT not provided, expired or invalid'),
  403: printErrorsSchema.describe('The caller lacks the role that the operation wants'),
  500: printErrorsSchema.describe('Unexpected error; the detail carries an error id'),
  503: printErrorsSchema.describe('The service cannot take the request at present'),
}
export const invalid = printErrorsSchema.describe('Invalid parameters: one error for each fault')
