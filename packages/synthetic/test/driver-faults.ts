import { normalisePostcode } from '@despatch/domain/address/postcode'
import { categoryLegalLiteral } from '@despatch/domain/driver/categories'
import type { DriverRecord, Endorsement } from '@despatch/domain/driver/driver-record'
import {
  drivingLicenceNumberOf,
  isDrivingLicenceNumber,
} from '@despatch/domain/driver/driving-licence-number'
import { findOffence, penaltyPointsExpiryDate } from '@despatch/domain/driver/offence-codes'
import { restrictionLiteral } from '@despatch/domain/driver/restriction-codes'
import { ageAt, anniversary, formatDay, parseDay } from '../src/calendar.ts'

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
    ...held.filter((holder) => !isNumberOf(holder)).map(() => 'number of another person'),
    ...named({
      'a number held twice': new Set(numbers).size < numbers.length,
    }),
  ]
}

/** Returns whether the number follows from its holder. */
function isNumberOf(holder: DriverRecord['driver']): boolean {
  const { drivingLicenceNumber: number } = holder
  const parts = { fourteenth: number.charAt(13), checkLetters: number.slice(14) }
  return drivingLicenceNumberOf(holder, parts) === number
}

const nameForm = /^\p{Lu}[\p{L}'’ -]*$/u

function personFaults({ driver }: DriverRecord, today: string): string[] {
  const age = ageAt(parseDay(driver.dateOfBirth, 'dateOfBirth'), parseDay(today, 'today'))
  const address = driver.address?.unstructuredAddress
  const { postcode, ...lines } = address ?? { postcode: 'EH1 1AA', line1: 'none', line5: 'none' }
  const texts = Object.values(lines)
  return named({
    'last name': !nameForm.test(driver.lastName),
    'first names': driver.firstNames !== undefined && !nameForm.test(driver.firstNames),
    age: age < 16 || age > 95,
    postcode: normalisePostcode(postcode ?? '') !== postcode,
    'address lines': !lines.line1 || !lines.line5,
    'line length': texts.some((line) => line.length < 1 || line.length > 45),
  })
}

function entitlementFaults(
  { entitlement, driver, licence }: DriverRecord,
  today: string,
): string[] {
  const sixteenth = formatDay(anniversary(parseDay(driver.dateOfBirth, 'dateOfBirth'), 16))
  const codes = entitlement.map(({ categoryCode }) => categoryCode)
  const faults = entitlement.flatMap(
    ({ categoryCode, fromDate = '', expiryDate = '', restrictions }) =>
      named({
        'category code': categoryLegalLiteral(categoryCode) === undefined,
        'start of entitlement': fromDate < sixteenth || fromDate > today,
        'end of entitlement': expiryDate < fromDate,
        'expired or not': (licence.status === 'Expired') !== expiryDate < today,
        restrictions: restrictions?.length === 0,
        restriction: restrictions?.some((one) => !restrictionLiteral(one.restrictionCode)),
      }),
  )
  const isFull = entitlement.some(({ categoryType }) => categoryType === 'Full')
  return [
    ...faults,
    ...named({
      'category twice': new Set(codes).size < codes.length,
      'full or not': isFull !== (licence.type === 'Full'),
      'no entitlement': (licence.status === 'Refused') !== (entitlement.length === 0),
    }),
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
  return named({
    'offence code': min === 99,
    points: penaltyPoints !== undefined && (penaltyPoints < min || penaltyPoints > max),
    'points and disqualification': (penaltyPoints === undefined) !== disqualified,
    'order of dates': inOrder.join() !== inOrder.toSorted().join(),
    'expiry of points': expiry !== penaltyPointsExpiryDate(kept),
    'still on the record': expiry <= today,
    'start of disqualification': disqualification && disqualification.startDate !== convictionDate,
    'pending sentence':
      Boolean(disqualification?.disqualifiedPendingSentence) !==
        Boolean(endorsement.disqualifiedPendingSentence) ||
      (endorsement.sentenceDate === undefined) !== Boolean(endorsement.disqualifiedPendingSentence),
  })
}

function licenceFaults({ driver, licence, endorsements }: DriverRecord, today: string): string[] {
  const { status, statusQualifier } = licence
  const points = endorsements.reduce((sum, { penaltyPoints = 0 }) => sum + penaltyPoints, 0)
  const sentences = endorsements.map(({ sentenceDate = '' }) => sentenceDate)
  const { disqualifiedForLife, disqualifiedPendingSentence, disqualifiedUntil } = driver
  const isBanned = Boolean(disqualifiedForLife ?? disqualifiedPendingSentence ?? disqualifiedUntil)
  const mayDriveAfterTest = /^Until/.test(statusQualifier ?? '')
  return named({
    'banned or not': status === 'Disqualified' ? !isBanned && !mayDriveAfterTest : isBanned,
    'for life': Boolean(disqualifiedForLife) !== (statusQualifier === 'For life'),
    pending: Boolean(disqualifiedPendingSentence) !== (statusQualifier === 'Pending sentence'),
    'end of disqualification': disqualifiedUntil !== undefined && disqualifiedUntil <= today,
    'totting up': status === 'Valid' && points >= 12,
    'newest first': sentences.join() !== sentences.toSorted().toReversed().join(),
  })
}

function tokenFaults({ token, entitlement, licence }: DriverRecord, today: string): string[] {
  const { validFromDate, validToDate, issueNumber } = token
  if (validFromDate === undefined || validToDate === undefined) return named({ token: validToDate })
  const last =
    entitlement
      .map(({ expiryDate = '' }) => expiryDate)
      .toSorted()
      .at(-1) ?? validToDate
  return named({
    'token dates': validFromDate > today || validToDate < validFromDate,
    'token beyond entitlement': validToDate > last,
    'token of an expired licence': licence.status === 'Expired' && validToDate >= today,
    'issue number': !/^\d{2}$/.test(issueNumber ?? '') || issueNumber === '00',
  })
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
  return named({
    'cpc without code 95': cpcs !== undefined && record.entitlement.length > 0 && !isProfessional,
    'empty cpc': cpcs?.some((cpc) => !cpc.lgvValidTo && !cpc.pcvValidTo),
    'card without cpc': tachoCards !== undefined && cpcs === undefined,
    card: wrongCards?.length,
    tachoUnderPreviousDln: (tachoCards === undefined) !== (tachoUnderPreviousDln === undefined),
    'no previous number': tachoUnderPreviousDln && !record.previousDrivingLicences,
  })
}

/** Returns the names of the faults that there are. */
function named(faults: Record<string, unknown>): string[] {
  return Object.keys(faults).filter((fault) => faults[fault])
}
