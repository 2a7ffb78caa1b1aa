import {
  categoryTypes,
  disqualificationTypes,
  genders,
  licenceStatuses,
  licenceStatusQualifiers,
  licenceTypes,
} from '@despatch/domain/driver/values'
import { z } from 'zod'
import { driverErrorsSchema } from '../driver-records/problems.ts'
import { cpcSchema, tachoCardSchema, testPassSchema } from '../driver-sources/answers.ts'

const date = z.iso.date()
const line = z.string().max(45).optional()

export const driverSchema = z.object({
  drivingLicenceNumber: z.string(),
  firstNames: z.string().optional(),
  lastName: z.string(),
  gender: z.enum(genders),
  dateOfBirth: date,
  address: z
    .object({
      unstructuredAddress: z.object({
        line1: line,
        line2: line,
        line3: line,
        line4: line,
        line5: line,
        postcode: z.string().optional(),
      }),
    })
    .optional(),
  disqualifiedForLife: z.literal(true).optional(),
  disqualifiedPendingSentence: z.literal(true).optional(),
  disqualifiedUntil: date.optional(),
})

export const licenceSchema = z.object({
  type: z.enum(licenceTypes),
  status: z.enum(licenceStatuses),
  statusQualifier: z.enum(licenceStatusQualifiers).optional(),
})

export const entitlementSchema = z.object({
  categoryCode: z.string(),
  categoryLegalLiteral: z.string().optional().describe('Legal text of the category'),
  categoryType: z.enum(categoryTypes),
  fromDate: date.optional(),
  expiryDate: date.optional(),
  restrictions: z
    .array(z.object({ restrictionCode: z.string(), restrictionLiteral: z.string().optional() }))
    .optional(),
})

export const disqualificationSchema = z.object({
  forLife: z.boolean().optional(),
  years: z.int().optional(),
  months: z.int().optional(),
  days: z.int().optional(),
  startDate: date.optional(),
  disqualifiedPendingSentence: z.boolean().optional(),
  disqualificationType: z.enum(disqualificationTypes).optional(),
})

export const endorsementSchema = z.object({
  offenceCode: z.string().optional(),
  offenceLegalLiteral: z.string().optional(),
  offenceDate: date.optional(),
  convictionDate: date.optional(),
  sentenceDate: date.optional(),
  penaltyPoints: z.int().optional(),
  penaltyPointsExpiryDate: date.optional(),
  disqualification: disqualificationSchema.optional(),
  disqualificationRemovalDate: date.optional(),
  disqualificationReimposedDate: date.optional(),
  disqualificationSuspendedPendingAppealDate: date.optional(),
  disqualifiedPendingSentence: z.boolean().optional().meta({
    deprecated: true,
    description: 'Use disqualification.disqualifiedPendingSentence, which is true when this is',
  }),
})

export const tokenSchema = z.object({
  validFromDate: date.optional(),
  validToDate: date.optional(),
  issueNumber: z.string().optional(),
})

/** The response to an enquiry. An unknown member is omitted, never null. */
export const retrieveResponseSchema = z.object({
  driver: driverSchema,
  licence: licenceSchema,
  entitlement: z.array(entitlementSchema).describe('One item for each category'),
  endorsements: z
    .array(endorsementSchema)
    .describe(
      'Empty when the driver has none. Newest first: by sentenceDate, then convictionDate, then offenceDate. An item ' +
        'without the date follows those with it.',
    ),
  token: tokenSchema,
  cpc: z
    .object({ cpcs: z.array(cpcSchema).describe('Empty when the driver has none') })
    .optional()
    .describe('Present with includeCPC, unless the response is partial'),
  testPass: z
    .array(testPassSchema)
    .optional()
    .describe('Present with CPC data if the driver has any. A sibling of cpc, not part of it'),
  holder: z
    .object({
      tachoCards: z.array(tachoCardSchema).describe('Empty when the driver has none'),
      tachoUnderPreviousDln: z
        .boolean()
        .optional()
        .describe(
          'true: a tachograph card is held under a previous driving licence number. A sibling of tachoCards.',
        ),
    })
    .optional()
    .describe('Tachograph data. Present with includeTacho, unless the response is partial'),
  errors: driverErrorsSchema.shape.errors
    .optional()
    .describe('Only in a partial response. One item each for missing CPC and tachograph data'),
})

export type RetrieveResponse = z.output<typeof retrieveResponseSchema>
