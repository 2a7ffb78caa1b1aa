import type { Driver, DriverRecord, TestPass } from '@despatch/domain/driver/driver-record'
import { drawAddress } from '../addresses/address.ts'
import { anniversary, type Day, formatDay } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { type Career, drawCareer } from './career.ts'
import { drawStanding } from './draw-standing.ts'
import { drawEntitlements, entitledUntil } from './entitlements.ts'
import { drawNames, numberOf, type Person } from './person.ts'
import { drawPreviousLicences } from './previous-licences.ts'
import { drawCpcs, drawTachoCards } from './professional.ts'
import { drawToken } from './token.ts'

/** Share of drivers without a known address. */
const hasNoAddress = 0.002
/** Tests of the last years are listed on the record. */
const testPassYears = 2
/**
 * Share of provisional licences with a test that was passed but not claimed, and share of those that were cancelled.
 */
const hasUnclaimedTest = 0.02
const isCancelled = 0.1

/** Draws a driver, except the photograph, as of `today`. */
export function drawDriver(random: Random, person: Person, today: Day): DriverRecord {
  const names = drawNames(random, person)
  const previous = drawPreviousLicences(random, person, names)
  const career = drawCareer(random, person, today)
  const standing = drawStanding(random, person, career, today)
  const { status } = standing.licence
  const until = entitledUntil(person, { hasExpired: status === 'Expired' })
  const testPass = drawTestPass(random, career, today)

  const record: DriverRecord = {
    driver: { ...drawHolder(random, person, names), ...standing.driver },
    licence: { type: career.carTest === undefined ? 'Provisional' : 'Full', ...standing.licence },
    entitlement:
      status === 'Refused' ? [] : drawEntitlements(random, { person, career, until, today }),
    endorsements: standing.endorsements,
    token: drawToken(random, { person, until, today }),
  }
  if (testPass) record.testPass = [testPass]
  if (previous) record.previousDrivingLicences = previous
  if (career.isProfessional) addProfession(record, random, career, today)
  return record
}

function drawHolder(
  random: Random,
  person: Person,
  names: Pick<Driver, 'firstNames' | 'lastName'>,
): Driver {
  const unstructuredAddress = drawAddress(random)
  return {
    drivingLicenceNumber: numberOf(person, names),
    ...names,
    gender: person.gender,
    dateOfBirth: formatDay(person.birth),
    ...(!random.chance(hasNoAddress) && { address: { unstructuredAddress } }),
  }
}

function drawTestPass(random: Random, career: Career, today: Day): TestPass | undefined {
  const { carTest, withAutomaticTransmission } = career
  if (carTest === undefined) {
    if (!random.chance(hasUnclaimedTest)) return undefined
    const status = random.chance(isCancelled) ? 'Cancelled' : 'Unclaimed'
    return testPassOf(today - random.below(60), status, withAutomaticTransmission)
  }
  if (carTest < anniversary(today, -testPassYears)) return undefined
  return testPassOf(carTest, 'Claimed', withAutomaticTransmission)
}

function testPassOf(test: Day, status: string, withAutomaticTransmission: boolean): TestPass {
  return { categoryCode: 'B', testDate: formatDay(test), status, withAutomaticTransmission }
}

function addProfession(record: DriverRecord, random: Random, career: Career, today: Day): void {
  record.cpcs = drawCpcs(random, career, today)
  const tachoCards = drawTachoCards(random, today)
  if (tachoCards.length === 0) return
  record.tachoCards = tachoCards
  record.tachoUnderPreviousDln = record.previousDrivingLicences !== undefined && random.chance(0.5)
}
