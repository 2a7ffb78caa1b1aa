import { normalisePostcode } from '@despatch/domain/address/postcode'
import { categoryLegalLiteral } from '@despatch/domain/driver/categories'
import type { DriverRecord, Endorsement } from '@despatch/domain/driver/driver-record'
import {
  findNumberMismatches,
  isDrivingLicenceNumber,
} from '@despatch/domain/driver/driving-licence-number'
import { findOffence, penaltyPointsExpiryDate } from '@despatch/domain/driver/offence-codes'
import { restrictionLiteral } from '@despatch/domain/driver/restriction-codes'
import { ageAt, anniversary, formatDay, parseDay } from '../calendar.ts'

/** Returns what contradicts itself or the domain's rules in a generated driver as of `today`. Empty if nothing does. */
export function faultsOf(record: DriverRecord, today: string): string[] {
  const faults = [
    ...numberFaults(record),
    ...personFaults(record, today),
    ...entitlementFaults(record, today),
    ...record.endorsements.flatMap((endorsement) => endorsementFaults(endorsement, record, today)),
    ...licenceFaults(record, today),
    ...tokenFaults(record, today),
    ...professionFaults(record),
  ]
  return faults.map((fault) => `${record.driver.drivingLicenceNumber}: ${fault}`)
}

function numberFaults({ driver, previousDrivingLicences = [] }: DriverRecord): string[] {
  const held = [driver, ...previousDrivingLicences.map((previous) => ({ ...driver, ...previous }))]
  const numbers = held.map(({ drivingLicenceNumber }) => drivingLicenceNumber)
  return [
    ...numbers
      .filter((number) => !isDrivingLicenceNumber(number))
      .map(() => 'number of wrong form'),
    ...held.flatMap((holder) => findNumberMismatches(holder.drivingLicenceNumber, holder)),
    ...named('a number held twice', new Set(numbers).size < numbers.length),
  ]
}

const nameForm = /^\p{Lu}[\p{L}'’ -]*$/u

function personFaults({ driver }: DriverRecord, today: string): string[] {
  const age = ageAt(parseDay(driver.dateOfBirth, 'dateOfBirth'), parseDay(today, 'today'))
  const address = driver.address?.unstructuredAddress
  const { postcode, ...lines } = address ?? { postcode: 'EH1 1AA', line1: 'none', line5: 'none' }
  const texts = Object.values(lines)
  return [
    ...named('last name', !nameForm.test(driver.lastName)),
    ...named('first names', driver.firstNames !== undefined && !nameForm.test(driver.firstNames)),
    ...named('age', age < 16 || age > 95),
    ...named('postcode', normalisePostcode(postcode ?? '') !== postcode),
    ...named('address lines', !lines.line1 || !lines.line5),
    ...named(
      'line length',
      texts.some((line) => line.length < 1 || line.length > 45),
    ),
  ]
}

function entitlementFaults(
  { entitlement, driver, licence }: DriverRecord,
  today: string,
): string[] {
  const sixteenth = formatDay(anniversary(parseDay(driver.dateOfBirth, 'dateOfBirth'), 16))
  const codes = entitlement.map(({ categoryCode }) => categoryCode)
  const faults = entitlement.flatMap(
    ({ categoryCode, fromDate = '', expiryDate = '', restrictions }) => [
      ...named('category code', categoryLegalLiteral(categoryCode) === undefined),
      ...named('start of entitlement', fromDate < sixteenth || fromDate > today),
      ...named('end of entitlement', expiryDate < fromDate),
      ...named('expired or not', (licence.status === 'Expired') !== expiryDate < today),
      ...named('restrictions', restrictions?.length === 0),
      ...named(
        'restriction',
        restrictions?.some((one) => !restrictionLiteral(one.restrictionCode)),
      ),
    ],
  )
  const isFull = entitlement.some(({ categoryType }) => categoryType === 'Full')
  return [
    ...faults,
    ...named('category twice', new Set(codes).size < codes.length),
    ...named('full or not', isFull !== (licence.type === 'Full')),
    ...named('no entitlement', (licence.status === 'Refused') !== (entitlement.length === 0)),
  ]
}

function endorsementFaults(
  endorsement: Endorsement,
  { driver }: DriverRecord,
  today: string,
): string[] {
  const { offenceCode = '', offenceDate = '', convictionDate = '', penaltyPoints } = endorsement
  const { disqualification, penaltyPointsExpiryDate: expiry = '' } = endorsement
  const sentenceDate = endorsement.sentenceDate ?? convictionDate
  const sixteenth = formatDay(anniversary(parseDay(driver.dateOfBirth, 'dateOfBirth'), 16))
  const revocation = /Revo/.test(disqualification?.disqualificationType ?? '')
  const disqualified = disqualification !== undefined && !revocation
  const [min, max] = findOffence(offenceCode)?.penaltyPoints ?? [99, 0]
  const later = [
    endorsement.disqualificationSuspendedPendingAppealDate,
    endorsement.disqualificationReimposedDate,
    endorsement.disqualificationRemovalDate,
  ].filter((date) => date !== undefined)
  const inOrder = [sixteenth, offenceDate, convictionDate, sentenceDate, ...later, today]
  const kept = { offenceCode, offenceDate, convictionDate, disqualified }
  return [
    ...named('offence code', min === 99),
    ...named('points', penaltyPoints !== undefined && (penaltyPoints < min || penaltyPoints > max)),
    ...named('points and disqualification', (penaltyPoints === undefined) !== disqualified),
    ...named('order of dates', inOrder.join() !== inOrder.toSorted().join()),
    ...named('expiry of points', expiry !== penaltyPointsExpiryDate(kept)),
    ...named('still on the record', expiry <= today),
    ...named(
      'start of disqualification',
      disqualification && disqualification.startDate !== convictionDate,
    ),
    ...named(
      'pending sentence',
      Boolean(disqualification?.disqualifiedPendingSentence) !==
        Boolean(endorsement.disqualifiedPendingSentence) ||
        (endorsement.sentenceDate === undefined) !==
          Boolean(endorsement.disqualifiedPendingSentence),
    ),
  ]
}

function licenceFaults({ driver, licence, endorsements }: DriverRecord, today: string): string[] {
  const { status, statusQualifier } = licence
  const points = endorsements.reduce((sum, { penaltyPoints = 0 }) => sum + penaltyPoints, 0)
  const sentences = endorsements.map(({ sentenceDate = '' }) => sentenceDate)
  const { disqualifiedForLife, disqualifiedPendingSentence, disqualifiedUntil } = driver
  const isBanned = Boolean(disqualifiedForLife ?? disqualifiedPendingSentence ?? disqualifiedUntil)
  const mayDriveAfterTest = /^Until/.test(statusQualifier ?? '')
  return [
    ...named(
      'banned or not',
      status === 'Disqualified' ? !isBanned && !mayDriveAfterTest : isBanned,
    ),
    ...named('for life', Boolean(disqualifiedForLife) !== (statusQualifier === 'For life')),
    ...named(
      'pending',
      Boolean(disqualifiedPendingSentence) !== (statusQualifier === 'Pending sentence'),
    ),
    ...named(
      'end of disqualification',
      disqualifiedUntil !== undefined && disqualifiedUntil <= today,
    ),
    ...named('totting up', status === 'Valid' && points >= 12),
    ...named('newest first', sentences.join() !== sentences.toSorted().toReversed().join()),
  ]
}

function tokenFaults({ token, entitlement, licence }: DriverRecord, today: string): string[] {
  const { validFromDate, validToDate, issueNumber } = token
  if (validFromDate === undefined || validToDate === undefined) return named('token', validToDate)
  const last =
    entitlement
      .map(({ expiryDate = '' }) => expiryDate)
      .toSorted()
      .at(-1) ?? validToDate
  return [
    ...named('token dates', validFromDate > today || validToDate < validFromDate),
    ...named('token beyond entitlement', validToDate > last),
    ...named('token of an expired licence', licence.status === 'Expired' && validToDate >= today),
    ...named('issue number', !/^\d{2}$/.test(issueNumber ?? '') || issueNumber === '00'),
  ]
}

function professionFaults({
  cpcs,
  tachoCards,
  tachoUnderPreviousDln,
  ...record
}: DriverRecord): string[] {
  const isProfessional = record.entitlement.some(({ restrictions }) =>
    restrictions?.some(({ restrictionCode }) => restrictionCode === '95'),
  )
  const wrongCards = tachoCards?.filter(
    ({ cardNumber = '', cardStartOfValidityDate: from = '', cardExpiryDate: to = '' }) =>
      !/^[A-Z0-9]{16}$/.test(cardNumber) || from >= to,
  )
  return [
    ...named(
      'cpc without code 95',
      cpcs !== undefined && record.entitlement.length > 0 && !isProfessional,
    ),
    ...named(
      'empty cpc',
      cpcs?.some((cpc) => !cpc.lgvValidTo && !cpc.pcvValidTo),
    ),
    ...named('card without cpc', tachoCards !== undefined && cpcs === undefined),
    ...named('card', wrongCards?.length),
    ...named(
      'tachoUnderPreviousDln',
      (tachoCards === undefined) !== (tachoUnderPreviousDln === undefined),
    ),
    ...named('no previous number', tachoUnderPreviousDln && !record.previousDrivingLicences),
  ]
}

function named(fault: string, isSo: unknown): string[] {
  return isSo ? [fault] : []
}
