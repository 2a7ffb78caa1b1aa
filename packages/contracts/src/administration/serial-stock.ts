import { z } from 'zod'
import { count } from '../print-fulfilment/answers.ts'
import { customIssue, integer, text } from '../text.ts'
import { slug } from './consumer.ts'

const issuedAtOnceMax = 100_000
const serialNumberCharactersMax = 255
const digitsMost = 15

const jobType = text({ min: 1, max: 255 })

export const serialNumberRangeSchema = z
  .object({
    prefix: text({ max: serialNumberCharactersMax - digitsMost }).default(''),
    first: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    last: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    digits: integer({ min: 1, max: digitsMost }).describe(
      'Number of digits, padded with zeros on the left',
    ),
  })
  .superRefine(({ first, last, digits }, context) => {
    if (last < first) {
      fault(context, 'last', 'Min', 'must not be below first', last)
    } else if (last - first >= issuedAtOnceMax) {
      fault(context, 'last', 'Max', `must be less than ${issuedAtOnceMax} above first`, last)
    }
    if (String(last).length > digits) {
      fault(context, 'last', 'Size', 'must not have more than the given digits', last)
    }
  })

export const issueSerialNumbersSchema = z
  .object({
    jobType,
    providerId: slug,
    serialNumbers: z
      .array(text({ min: 1, max: serialNumberCharactersMax }))
      .min(1)
      .max(issuedAtOnceMax)
      .exactOptional(),
    range: serialNumberRangeSchema.exactOptional().describe('Replaces serialNumbers'),
  })
  .superRefine(({ serialNumbers, range }, context) => {
    if (serialNumbers === undefined && range === undefined) {
      fault(context, 'serialNumbers', 'NotNull', 'must be given unless range is', undefined)
    }
    if (serialNumbers !== undefined && range !== undefined) {
      fault(context, 'range', 'Invalid', 'must be left out when serialNumbers is given', range)
    }
  })

function fault(
  context: z.core.$RefinementCtx,
  field: string,
  code: string,
  message: string,
  input: unknown,
): void {
  context.addIssue({ ...customIssue({ code, message }, input), path: [field] })
}

const account = {
  issued: count.describe('used + spoiled + inStock'),
  used: count,
  spoiled: count,
  inStock: count,
}

export const issuedSerialNumbersSchema = z.object({
  jobType: z.string(),
  providerId: z.string(),
  added: count.describe(
    'Number of serial numbers that this request added. The provider already had the others',
  ),
  account: z.object(account).describe('Stock of the provider for the job type'),
})
export type IssuedSerialNumbersResponse = z.output<typeof issuedSerialNumbersSchema>

export const serialAccountsQuerySchema = z.object({
  providerId: slug.exactOptional().describe('Absent: all'),
  jobType: jobType.exactOptional().describe('Absent: all'),
})
export const serialAccountsSchema = z.object({
  accounts: z
    .array(z.object({ providerId: z.string(), jobType: z.string(), ...account }))
    .describe('By providerId and jobType'),
})
export type SerialAccountsResponse = z.output<typeof serialAccountsSchema>

/** Returns the numbers that a request names, without duplicates. */
export function serialNumbersOf({
  serialNumbers = [],
  range,
}: z.output<typeof issueSerialNumbersSchema>): string[] {
  if (!range) return [...new Set(serialNumbers)]
  const { prefix, first, last, digits } = range
  return Array.from(
    { length: last - first + 1 },
    (_, place) => `${prefix}${String(first + place).padStart(digits, '0')}`,
  )
}
