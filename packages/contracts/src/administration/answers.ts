import { printErrorsSchema } from '../print-request/problems.ts'

/** Every operation wants both. */
export const security = [{ jwt: [], apiKey: [] }]
/** What every operation may answer. */
export const everywhere = {
  401: printErrorsSchema.describe('API key or JWT not provided, expired or invalid'),
  403: printErrorsSchema.describe('The caller lacks the role that the operation wants'),
  500: printErrorsSchema.describe('Unexpected error; the detail carries an error id'),
  503: printErrorsSchema.describe('The service cannot take the request at present'),
}
export const invalid = printErrorsSchema.describe('Invalid parameters: one error for each fault')
