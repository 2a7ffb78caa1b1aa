import { enquiryOutcomes, enquiryServices } from '@despatch/domain/enquiry/audited-enquiry'
import { z } from 'zod'
import { moment } from '../moment.ts'
import { nextCursor } from '../page.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { customIssue, integer, text } from '../text.ts'
import { userName } from './consumer.ts'

const numberCharactersMax = 64
const pageEnquiriesMax = 100
const pageEnquiriesDefault = 50

const number = text({ min: 1, max: numberCharactersMax })

export const searchEnquiriesSchema = z
  .object({
    drivingLicenceNumber: number.exactOptional().describe('Only enquiries about this driver'),
    registrationNumber: number.exactOptional().describe('Only enquiries about this vehicle'),
    consumerId: z.uuid().exactOptional().describe('Only enquiries by this consumer'),
    userName: userName
      .exactOptional()
      .describe('Only enquiries by the consumer with this user name'),
    service: z.enum(enquiryServices).exactOptional(),
    outcome: z.enum(enquiryOutcomes).exactOptional(),
    from: moment.exactOptional().describe('Inclusive start of the range'),
    to: moment.exactOptional().describe('Exclusive end of the range'),
    cursor: text({ max: 19, pattern: /^\d{1,18}$/ })
      .exactOptional()
      .describe('nextCursor of the previous page'),
    limit: integer({ min: 1, max: pageEnquiriesMax })
      .default(pageEnquiriesDefault)
      .describe('Maximum number of items in a page'),
  })
  .superRefine((search, context) => {
    for (const [given, other] of eitherOr) {
      if (search[given] === undefined || search[other] === undefined) continue
      const message = `must be left out beside ${other}`
      context.addIssue({ ...customIssue({ code: 'Invalid', message }, undefined), path: [given] })
    }
  })
export type SearchEnquiriesRequest = z.input<typeof searchEnquiriesSchema>

const eitherOr = [
  ['registrationNumber', 'drivingLicenceNumber'],
  ['userName', 'consumerId'],
] as const

export const enquirySchema = z.object({
  id: z.string(),
  at: storedTime,
  consumerId: z.uuid(),
  userName: ifKnown(z.string()),
  service: z.enum(enquiryServices),
  outcome: z
    .enum(enquiryOutcomes)
    .describe(
      'refused: the request was invalid. failed: a source or our service failed. partial: a source was missing',
    ),
  status: z.number().int().describe('HTTP status of the response'),
  correlationId: z.string(),
  purpose: ifKnown(z.string()).describe('X-Enquiry-Purpose header of the request'),
  asked: z.array(z.string()).describe('Names and options in the request, without values'),
  results: ifKnown(z.number().int()).describe('Number of drivers that the search returned'),
  numberReference: ifKnown(z.string()).describe(
    'Same value in all rows about one number. Absent if no number was given or it could not be read',
  ),
})

export const enquiriesSchema = z.object({
  enquiries: z.array(enquirySchema).describe('Newest first'),
  nextCursor,
})
export type EnquiriesResponse = z.output<typeof enquiriesSchema>
