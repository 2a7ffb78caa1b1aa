import type { Role } from '@despatch/domain/access/caller'
import { printErrorsSchema } from '../print-request/problems.ts'

/** Every operation requires both. */
export const security = [{ jwt: [], apiKey: [] }]
/** The `config` of an operation that requires the admin role. All others require the operator or admin role. */
export const forAdmins = { roles: ['admin'] } as const satisfies { roles: readonly Role[] }
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
