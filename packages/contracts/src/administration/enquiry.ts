import {
  type Enquiry,
  enquiryOutcomes,
  enquiryServices,
} from '@despatch/domain/enquiry/audited-enquiry'
import { z } from 'zod'
import { moment } from '../moment.ts'
import { nextCursor } from '../page.ts'
import { customIssue, integer, text } from '../text.ts'
import { userName } from './consumer.ts'

const numberCharactersMax = 64
const pageEnquiriesMax = 100
const pageEnquiriesDefault = 50

const number = text({ min: 1, max: numberCharactersMax })

export const searchEnquiriesSchema = z
  .object({
    drivingLicenceNumber: number.exactOptional().describe('Only what was asked about this driver'),
    registrationNumber: number.exactOptional().describe('Only what was asked about this vehicle'),
    consumerId: z.uuid().exactOptional().describe('Only what this consumer asked'),
    userName: userName.exactOptional().describe('The same, by the name that it signs in with'),
    service: z.enum(enquiryServices).exactOptional(),
    outcome: z.enum(enquiryOutcomes).exactOptional(),
    from: moment.exactOptional().describe('The first moment that counts'),
    to: moment.exactOptional().describe('The first moment that does not count any more'),
    cursor: text({ max: 19, pattern: /^\d{1,18}$/ })
      .exactOptional()
      .describe('The nextCursor of the page before'),
    limit: integer({ min: 1, max: pageEnquiriesMax })
      .default(pageEnquiriesDefault)
      .describe('Items of a page'),
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
  at: z.iso.datetime(),
  consumerId: z.uuid(),
  userName: z.string().optional(),
  service: z.enum(enquiryServices),
  outcome: z
    .enum(enquiryOutcomes)
    .describe('refused: asked wrongly; failed: a source or we did; partial: a source was missing'),
  status: z.number().int().describe('HTTP status of the answer'),
  correlationId: z.string(),
  purpose: z.string().optional().describe('X-Enquiry-Purpose of the request'),
  asked: z.array(z.string()).describe('Names and choices of the request, without values'),
  results: z.number().int().optional().describe('How many drivers a search gave'),
  numberReference: z
    .string()
    .optional()
    .describe('The same in rows about one number; absent when none was given or could be read'),
})
export type EnquiryResponse = z.output<typeof enquirySchema>

export const enquiriesSchema = z.object({
  enquiries: z.array(enquirySchema).describe('Newest first'),
  nextCursor,
})
export type EnquiriesResponse = z.output<typeof enquiriesSchema>

export type ListedEnquiry = Omit<Enquiry, 'asked'> & {
  id: string
  at: Date
  userName: string | null
  asked: string[]
}

const referenceDigits = 12

export function renderEnquiry(enquiry: ListedEnquiry): EnquiryResponse {
  const { id, at, consumerId, userName, service, outcome, status, correlationId } = enquiry
  const { purpose, asked, results, numberHash } = enquiry
  return {
    id,
    at: at.toISOString(),
    consumerId,
    ...(userName !== null && { userName }),
    service,
    outcome,
    status,
    correlationId,
    ...(purpose !== null && { purpose }),
    asked,
    ...(results !== null && { results }),
    ...(numberHash !== null && {
      numberReference: numberHash.toString('hex').slice(0, referenceDigits),
    }),
  }
}
