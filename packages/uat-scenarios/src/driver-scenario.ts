import type { Driver, DriverRecord } from '@despatch/domain/driver/driver-record'
import { drivingLicenceNumberOf } from '@despatch/domain/driver/driving-licence-number'
import type { RequestProblemKind } from '@despatch/domain/problem'
import { asOf, day, dayAfter } from './day.ts'

/** How a source of CPC or tachograph data responds for one driver. */
export const sourceBehaviours = ['answers', 'fails', 'unavailable', 'times-out'] as const
export type SourceBehaviour = (typeof sourceBehaviours)[number]

/** The response of the test environment for one driving licence number. */
export type DriverScenario = {
  drivingLicenceNumber: string
  title: string
  /** For a request with the number alone. A source is called only if its data is requested. */
  status: number
  outcome: DriverOutcome
}

export type DriverProblemKind =
  | RequestProblemKind
  | 'driver-not-found'
  | 'source-failed'
  | 'source-timed-out'

export type DriverOutcome =
  | {
      kind: 'record'
      record: (now: Date) => DriverRecord
      cpc: SourceBehaviour
      tachograph: SourceBehaviour
    }
  | { kind: 'problem'; problem: DriverProblemKind; detail: string }
  | { kind: 'fault' }

/**
 * The person of one of our own scenarios. Scenarios of a family share the surname; month and day of birth (in 1970)
 * distinguish them. Men are ULRIC ADAM, women URSULA ANNE, and all our numbers have the check letters TT.
 */
type Person = { lastName: string; month?: number; day: number; gender?: 'Male' | 'Female' }

/** Parts of a record in which a scenario differs from an ordinary driver. */
export type Differences = Partial<Omit<DriverRecord, 'driver'>> & { driver?: Partial<Driver> }

type Sources = { cpc?: SourceBehaviour; tachograph?: SourceBehaviour }

/** Returns the scenarios of people of one surname, who are born on the first days of a month: a row for each. */
export function family(
  lastName: string,
  rows: readonly (readonly [title: string, differences: Differences])[],
  month = 1,
): DriverScenario[] {
  return rows.map(([title, differences], index) =>
    driver({ lastName, month, day: index + 1 }, title, differences),
  )
}

/** Returns the scenario of one of our own people. */
export function driver(
  person: Person,
  title: string,
  differences: Differences,
  sources: Sources = {},
): DriverScenario {
  const identity = { drivingLicenceNumber: numberOf(person), ...holderOf(person) }
  return driverWithNumber(identity, title, differences, sources)
}

/** Returns the scenario of a driver with a given number. */
export function driverWithNumber(
  identity: Driver,
  title: string,
  { driver: person, ...rest }: Differences,
  { cpc = 'answers', tachograph = 'answers' }: Sources = {},
): DriverScenario {
  const row: DriverRecord = {
    driver: { ...identity, address: { unstructuredAddress: address }, ...person },
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [{ categoryCode: 'B', categoryType: 'Full', ...heldFor(identity) }],
    endorsements: [],
    token: {
      validFromDate: day({ years: -2 }),
      validToDate: day({ years: 8 }),
      issueNumber: '12',
    },
    ...rest,
  }
  const { drivingLicenceNumber } = identity
  const record = (now: Date) => asOf(now, row)
  return {
    drivingLicenceNumber,
    title,
    status: 200,
    outcome: { kind: 'record', record, cpc, tachograph },
  }
}

/** Returns the driving licence number of one of our own people. */
export function numberOf(person: Person): string {
  return drivingLicenceNumberOf(holderOf(person), { fourteenth: '9', checkLetters: 'TT' })
}

function holderOf({ lastName, month = 1, day, gender = 'Male' }: Person) {
  return {
    firstNames: gender === 'Male' ? 'ULRIC ADAM' : 'URSULA ANNE',
    lastName,
    gender,
    dateOfBirth: `1970-${twoDigits(month)}-${twoDigits(day)}`,
  }
}

const address = { line1: '1 TEST STREET', line2: 'SWANSEA', postcode: 'SA6 7JL' }

/** From the 18th birthday to the day before the 70th. */
function heldFor({ dateOfBirth }: Driver) {
  const birth = new Date(`${dateOfBirth}T12:00:00Z`)
  return {
    fromDate: dayAfter(birth, { years: 18 }),
    expiryDate: dayAfter(birth, { years: 70, days: -1 }),
  }
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
