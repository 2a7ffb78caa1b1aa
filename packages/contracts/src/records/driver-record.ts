import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import {
  isDrivingLicenceNumber,
  normaliseDrivingLicenceNumber,
} from '@despatch/domain/driver/driving-licence-number'
import {
  categoryTypes,
  disqualificationTypes,
  genders,
  licenceStatuses,
  licenceStatusQualifiers,
  licenceTypes,
} from '@despatch/domain/driver/values'
import { z } from 'zod'
import { customIssue, integer } from '../text.ts'
import { day, photograph, words } from './record-values.ts'

const nameMax = 100
const addressLineMax = 45
const literalMax = 1_000
const codeMax = 20
const itemsMax = 200
const tooMany = `size must be at most ${itemsMax}`

const drivingLicenceNumber = z.string().transform((value, context) => {
  const normal = normaliseDrivingLicenceNumber(value)
  if (isDrivingLicenceNumber(normal)) return normal
  context.addIssue({ ...customIssue(wrongNumber, undefined), continue: false })
  return z.NEVER
})
const wrongNumber = {
  code: 'Pattern',
  message: 'must be the 16 characters of a driving licence number of Great Britain',
}

// Older numbers, and those of Northern Ireland, have other formats.
const previousNumber = z.string().transform((value, context) => {
  const normal = normaliseDrivingLicenceNumber(value)
  if (/^[A-Z0-9]{5,16}$/.test(normal)) return normal
  context.addIssue({ ...customIssue(wrongPreviousNumber, undefined), continue: false })
  return z.NEVER
})
const wrongPreviousNumber = { code: 'Pattern', message: 'must be 5 to 16 letters and digits' }

const address = z.strictObject({
  unstructuredAddress: z.strictObject({
    line1: words(addressLineMax).exactOptional(),
    line2: words(addressLineMax).exactOptional(),
    line3: words(addressLineMax).exactOptional(),
    line4: words(addressLineMax).exactOptional(),
    line5: words(addressLineMax).exactOptional(),
    postcode: words(10).exactOptional(),
  }),
})

const driver = z.strictObject({
  drivingLicenceNumber,
  firstNames: words(nameMax).exactOptional(),
  lastName: words(nameMax),
  gender: z.enum(genders),
  dateOfBirth: day(),
  address: address.exactOptional(),
  disqualifiedForLife: z.literal(true).exactOptional(),
  disqualifiedPendingSentence: z.literal(true).exactOptional(),
  disqualifiedUntil: day().exactOptional(),
})

const restriction = z.strictObject({
  restrictionCode: words(codeMax),
  restrictionLiteral: words(literalMax).exactOptional(),
})

const entitlement = z.strictObject({
  categoryCode: words(codeMax),
  categoryLegalLiteral: words(literalMax).exactOptional(),
  categoryType: z.enum(categoryTypes),
  fromDate: day().exactOptional(),
  expiryDate: day().exactOptional(),
  restrictions: items(restriction).exactOptional(),
})

const disqualification = z.strictObject({
  forLife: z.boolean().exactOptional(),
  years: integer({ min: 0, max: 99 }).exactOptional(),
  months: integer({ min: 0, max: 999 }).exactOptional(),
  days: integer({ min: 0, max: 9_999 }).exactOptional(),
  startDate: day().exactOptional(),
  disqualifiedPendingSentence: z.boolean().exactOptional(),
  disqualificationType: z.enum(disqualificationTypes).exactOptional(),
})

const endorsement = z.strictObject({
  offenceCode: words(codeMax).exactOptional(),
  offenceLegalLiteral: words(literalMax).exactOptional(),
  offenceDate: day().exactOptional(),
  convictionDate: day().exactOptional(),
  sentenceDate: day().exactOptional(),
  penaltyPoints: integer({ min: 0, max: 99 }).exactOptional(),
  penaltyPointsExpiryDate: day().exactOptional(),
  disqualification: disqualification.exactOptional(),
  disqualificationRemovalDate: day().exactOptional(),
  disqualificationReimposedDate: day().exactOptional(),
  disqualificationSuspendedPendingAppealDate: day().exactOptional(),
  disqualifiedPendingSentence: z.boolean().exactOptional(),
})

const cpc = z.strictObject({
  lgvValidTo: day().exactOptional(),
  pcvValidTo: day().exactOptional(),
  national: z.boolean().exactOptional(),
})

const testPass = z.strictObject({
  categoryCode: words(codeMax).exactOptional(),
  categoryLegalLiteral: words(literalMax).exactOptional(),
  testDate: day().exactOptional(),
  status: words(nameMax).exactOptional(),
  withAutomaticTransmission: z.boolean().exactOptional(),
})

const tachoCard = z.strictObject({
  cardNumber: words(codeMax).exactOptional(),
  cardStatus: words(nameMax).exactOptional(),
  cardExpiryDate: day().exactOptional(),
  cardStartOfValidityDate: day().exactOptional(),
})

const previousDrivingLicence = z.strictObject({
  drivingLicenceNumber: previousNumber,
  firstNames: words(nameMax).exactOptional(),
  lastName: words(nameMax),
  dateOfBirth: day().exactOptional(),
})

/** One row of a driver import. Converts driving licence numbers to upper case. Accepts unknown codes. */
export const driverRecordSchema = z.strictObject({
  driver,
  licence: z.strictObject({
    type: z.enum(licenceTypes),
    status: z.enum(licenceStatuses),
    statusQualifier: z.enum(licenceStatusQualifiers).exactOptional(),
  }),
  entitlement: items(entitlement),
  endorsements: items(endorsement),
  token: z.strictObject({
    validFromDate: day().exactOptional(),
    validToDate: day().exactOptional(),
    issueNumber: words(10).exactOptional(),
  }),
  cpcs: items(cpc).exactOptional(),
  testPass: items(testPass).exactOptional(),
  tachoCards: items(tachoCard).exactOptional(),
  tachoUnderPreviousDln: z.boolean().exactOptional(),
  previousDrivingLicences: items(previousDrivingLicence).exactOptional(),
  photograph: photograph.exactOptional(),
}) satisfies z.ZodType<DriverRecord>

function items<Item extends z.ZodType>(item: Item) {
  return z.array(item).max(itemsMax, tooMany)
}
