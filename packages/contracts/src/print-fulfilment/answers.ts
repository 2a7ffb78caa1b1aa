import { z } from 'zod'
import { printErrorsSchema } from '../print-request/problems.ts'
import { customIssue, text } from '../text.ts'

export const security = [{ jwt: [], apiKey: [] }]

/** Errors that every operation of a provider can return, besides its own responses. */
export const everywhere = {
  401: printErrorsSchema.describe('The API key or JWT is missing, expired or invalid'),
  403: printErrorsSchema.describe('The caller is not a print provider'),
  429: printErrorsSchema.describe('Too many requests for the usage plan or the service'),
  500: printErrorsSchema.describe('Unexpected error. The detail contains an error id'),
  503: printErrorsSchema.describe('The service cannot take the request at present'),
}
export const invalid = printErrorsSchema.describe(
  'Invalid parameters, with one error for each violation',
)
export const unknownRun = printErrorsSchema.describe('The provider does not have this print run')

export const documentId = text({ min: 1, max: 50 })
export const batchNumber = text({ min: 1, max: 50 }).describe('Number of the print run')
const fulfilmentJobId = text({ min: 1, max: 60 })

export const runParams = z.object({ batchNumber })
export const fulfilmentJobParams = runParams.extend({ fulfilmentJobId })
export const documentParams = runParams.extend({ documentId })

export const idempotencyKey = z.object({
  'idempotency-key': text({ min: 1, max: 255 }).describe(
    'The provider chooses the key and stores it before the call, so that it can repeat the call if the response is ' +
      'lost',
  ),
})

/** A short code for machines, without personal information. */
export const reasonCode = text({ min: 1, max: 50, pattern: /^[A-Za-z0-9_.-]+$/ })
export const reason = text({ min: 1, max: 200 })

/**
 * A date and time with any offset. The year is limited to what every date type can hold, because a provider's clock may
 * be wrong.
 */
export const instant = z.iso
  .datetime({ offset: true, message: 'must be a date and time such as 2026-01-31T17:30:00Z' })
  .check(({ value, issues }) => {
    const at = Date.parse(value)
    if (Number.isNaN(at) || (at >= instantMin && at < instantEnd)) return
    const message = 'must be of the years 1970 to 9999'
    issues.push(customIssue({ code: 'Pattern', message }, value))
  })
const instantMin = Date.UTC(1970, 0)
const instantEnd = Date.UTC(10_000, 0)

export const count = z.number().meta({ type: 'integer', minimum: 0 })
export const number = z.number().meta({ type: 'integer', minimum: 1 })

/** Schema of the number of items on a page: 1 to 1,000. */
export const pageLimit = (standard: number) =>
  z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000')
    .transform(Number)
    .default(standard)
    .describe('Maximum number of items in a page')
export const cursor = text({ min: 1, max: 100 })
  .exactOptional()
  .describe('nextCursor of the previous page')
export const nextCursor = z
  .string()
  .optional()
  .describe('Pass it as cursor to get the next page. Absent on the last page')
