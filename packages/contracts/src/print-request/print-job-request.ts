import { hasDotSegment } from '@despatch/domain/dot-segment'
import { despatchMethods } from '@despatch/domain/print-job/params'
import { z } from 'zod'
import { list } from '../list.ts'
import { customIssue, integer, pathSegment, text } from '../text.ts'
import { addressSchema } from './address.ts'

export const identifierPattern = /^[A-Za-z0-9_:.-]+$/
export const printJobIdCharactersMax = 255
/** Spec: states no maximum. Ours keeps the list of violations of one request finite. */
export const customParamsMax = 10_000
export const fileParamsMax = 100

const optionalLine = text({ max: 45 }).exactOptional()

const handlingInstruction = z.object({
  line1: text({ min: 1, max: 45 }),
  line2: optionalLine,
  line3: optionalLine,
  line4: optionalLine,
  line5: optionalLine,
  line6: optionalLine,
  line7: optionalLine,
})

export const recipientName = text({ min: 1, max: 255 })

export const standardParamsSchema = z.object({
  jobType: text({ min: 1, max: 255 }).describe('Agreed in advance for each consumer'),
  templateReference: text({ min: 1, max: 255 }).describe('Agreed in advance for each consumer'),
  businessIdentifier: text({ min: 1, max: 255, pattern: identifierPattern })
    .nullable()
    .exactOptional(),
  recipientName: recipientName.describe(
    'Printed on two lines of at most 45 characters each. Characters after the 90th are omitted',
  ),
  address: addressSchema,
  handlingInstruction: handlingInstruction.exactOptional(),
  despatchMethod: z
    .enum(despatchMethods)
    .exactOptional()
    .describe(
      'Second class if absent. To an internationalAddress, FIRST, ECONOMY and absent become INTERNATIONAL_EU or INTERNATIONAL_ROW, by its country; Jersey, Guernsey and the Isle of Man have the classes of the United Kingdom',
    ),
})

export const customParamSchema = z.object({ key: text({ min: 1 }), value: text({ min: 1 }) })

export const fileParamSchema = z.object({
  fileId: text({ min: 1, max: 255 }),
  uploadId: text({ min: 36, max: 36 }).describe('uploadId of an upload that you created before'),
})

/** What a header may contain: visible characters, spaces and tabs. A line break would end the header. */
const headerPattern = /^[\t\x20-\x7e\x80-\xff]*$/

export const callbackParamsSchema = z.object({
  target: text({ min: 11 }).check(({ value, issues }) => {
    if (issues.length > 0 || isHttpUrl(value)) return
    const message = 'must be an http or https address'
    issues.push(customIssue({ code: 'InvalidFormat', message }, value))
  }),
  authenticationHeader: text({ min: 1, pattern: headerPattern })
    .nullable()
    .exactOptional()
    .describe('Sent unchanged as the Authorization header of the callback request'),
  retryParams: z
    .object({
      enabled: z.boolean().nullable().exactOptional(),
      maxRetryWindow: integer({ min: 30, max: 86_400 })
        .nullable()
        .exactOptional()
        .describe('In seconds. Defaults to 10800 when retries are enabled'),
    })
    .exactOptional(),
})

/**
 * An addition to the specification. The service checks how far ahead the day is, because that depends on the current
 * day.
 */
export const sendControlSchema = z.object({
  notBefore: text()
    .check(({ value, issues }) => {
      if (issues.length > 0 || z.iso.date().safeParse(value).success) return
      const message = 'must be a day such as 2027-01-31'
      issues.push(customIssue({ code: 'InvalidFormat', message }, value))
    })
    .meta({ format: 'date' })
    .exactOptional()
    .describe(
      'The letter is not printed before this day begins in London. From today to 366 days ahead',
    ),
  hold: z
    .boolean()
    .exactOptional()
    .describe(
      'The letter is not printed until it is released. It is checked immediately and its proof is available',
    ),
})

/**
 * Spec: PrintJobRequest. Members that the specification does not name are removed. Null is accepted only where the
 * specification says so; `memberReader` removes it from other optional members first. Every violation of a request is
 * reported.
 */
export const printJobRequestSchema = z.object({
  id: pathSegment({ max: printJobIdCharactersMax, pattern: identifierPattern })
    .exactOptional()
    .describe(
      'Defaults to a new UUID. Must not contain personal information, and must not be . or ..',
    ),
  standardParams: standardParamsSchema,
  customParams: list(customParamSchema, { max: customParamsMax, unique: ['key'] })
    .exactOptional()
    .describe(
      'If the value is a PDF, GIF, PNG, JPEG, TIFF or BMP in base64 or a data: URL, it is processed as a file. Its key is then the ' +
        'fileId',
    ),
  fileParams: list(fileParamSchema, {
    max: fileParamsMax,
    unique: ['fileId', 'uploadId'],
  }).exactOptional(),
  callbackParams: callbackParamsSchema.exactOptional(),
  sendControl: sendControlSchema
    .exactOptional()
    .describe('An addition to the specification: when the letter may be printed'),
})

export type PrintJobRequest = z.output<typeof printJobRequestSchema>

/** Returns true if a job could have this id. Any other id in a path must not reach the database. */
export function isPrintJobId(id: string): boolean {
  return id.length <= printJobIdCharactersMax && identifierPattern.test(id) && !hasDotSegment(id)
}

function isHttpUrl(value: string): boolean {
  const { protocol } = URL.parse(value) ?? {}
  return protocol === 'http:' || protocol === 'https:'
}
