import { driverRecordSchema } from '@despatch/contracts/records/driver-record'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import {
  drivingLicenceNumberOf,
  isDrivingLicenceNumber,
} from '@despatch/domain/driver/driving-licence-number'
import {
  disqualificationTypes,
  licenceStatuses,
  licenceStatusQualifiers,
  licenceTypes,
} from '@despatch/domain/driver/values'
import { expect, test } from 'vitest'
import { driverScenario, driverScenarios } from './driver-scenarios.ts'
import { uatFindDrivers } from './find-scenarios.ts'

const now = new Date('2026-03-02T09:00:00Z')
const recordsAt = (at: Date) =>
  driverScenarios.flatMap(({ outcome }) => (outcome.kind === 'record' ? [outcome.record(at)] : []))
const records = recordsAt(now)
const endorsements = records.flatMap((record) => record.endorsements)
const disqualifications = endorsements.flatMap(({ disqualification = [] }) => disqualification)

test('every number occurs once and is one by the pattern of the agency', () => {
  const numbers = driverScenarios.map(({ drivingLicenceNumber }) => drivingLicenceNumber)

  expect(distinct(numbers)).toHaveLength(numbers.length)
  expect(numbers.filter((number) => !isDrivingLicenceNumber(number))).toEqual([])
})

test('every record is that of its number, agrees with it and could be imported', () => {
  const found = driverScenarios.flatMap(({ drivingLicenceNumber, outcome }) =>
    outcome.kind === 'record' ? [{ drivingLicenceNumber, record: outcome.record(now) }] : [],
  )
  const wrong = found.filter(
    ({ drivingLicenceNumber, record: { driver } }) =>
      driver.drivingLicenceNumber !== drivingLicenceNumber || !isNumberOf(driver),
  )

  expect(wrong).toEqual([])
  expect(records.map((record) => driverRecordSchema.parse(record))).toEqual(records)
})

const behaviours = ['answers', 'fails', 'unavailable', 'times-out']

test.each<[what: string, occurring: unknown[], all: unknown[]]>([
  [
    'status of the specification',
    driverScenarios.map(({ status }) => status),
    [200, 400, 401, 403, 404, 429, 500, 502, 503, 504],
  ],
  [
    'status of full and provisional licences',
    records.map(({ licence }) => `${licence.type} ${licence.status}`),
    licenceTypes.flatMap((type) => licenceStatuses.map((status) => `${type} ${status}`)),
  ],
  [
    'status qualifier',
    records.flatMap(({ licence }) => licence.statusQualifier ?? []),
    [...licenceStatusQualifiers],
  ],
  [
    'disqualification type',
    disqualifications.flatMap((each) => each.disqualificationType ?? []),
    [...disqualificationTypes],
  ],
  [
    'part of a duration',
    disqualifications.map((each) => Object.keys(each).sort().join(' ')),
    [
      ...['days months startDate years', 'days startDate', 'months startDate', 'startDate years'],
      ...['disqualificationType startDate years', 'disqualifiedPendingSentence startDate'],
      'forLife startDate',
    ],
  ],
  [
    'place of a pending sentence',
    endorsements.map(
      ({ disqualification, disqualifiedPendingSentence }) =>
        `${disqualification?.disqualifiedPendingSentence} ${disqualifiedPendingSentence}`,
    ),
    ['true true', 'true undefined', 'undefined true', 'undefined undefined'],
  ],
  [
    'CPC',
    records.flatMap(({ cpcs = [] }) => cpcs.map(({ national }) => String(national))),
    ['false', 'true', 'undefined'],
  ],
  [
    'tachograph',
    records.map((record) => String(record.tachoUnderPreviousDln)),
    ['false', 'true', 'undefined'],
  ],
  [
    'status of a test pass',
    records.flatMap(({ testPass = [] }) => testPass.map(({ status }) => status)),
    ['Cancelled', 'Claimed', 'Unclaimed'],
  ],
  [
    'combination of what the two sources do',
    driverScenarios.flatMap(({ outcome }) =>
      outcome.kind === 'record' ? [`${outcome.cpc}, ${outcome.tachograph}`] : [],
    ),
    behaviours.flatMap((cpc) => behaviours.map((tacho) => `${cpc}, ${tacho}`)),
  ],
])('every %s occurs', (_, occurring, all) => {
  expect(distinct(occurring)).toEqual(all.toSorted())
})

test('the public test numbers give what they give at the agency', () => {
  expect(driverScenario('JONES712249IP6VV')?.status).toBe(404)
  expect(recordOf('TCAEU610267NO9EK')).toMatchObject({
    licence: { type: 'Full', status: 'Valid' },
    endorsements: [{ offenceCode: 'SP30' }],
  })
  expect(recordOf('BTJMG803070FY9WJ')).toMatchObject({ cpcs: [{}], tachoCards: [{}] })
})

test('a licence that is disqualified for life, pending sentence or until a day says so of the driver', () => {
  const disqualified = records.filter(({ licence }) => licence.status === 'Disqualified')
  const told = ({ driver, licence }: DriverRecord) => {
    if (licence.statusQualifier === 'For life') return driver.disqualifiedForLife
    if (licence.statusQualifier === 'Pending sentence') return driver.disqualifiedPendingSentence
    return driver.disqualifiedUntil
  }

  expect(disqualified.length).toBeGreaterThan(10)
  expect(disqualified.filter((record) => told(record) === undefined)).toEqual([])
  expect(disqualified.filter(({ endorsements }) => endorsements.length === 0)).toEqual([])
})

test('every member of an endorsement, a driver and a record is there and is absent somewhere', () => {
  const { shape } = driverRecordSchema
  const always = ['driver', 'licence', 'entitlement', 'endorsements', 'token']
  const drivers = records.map(({ driver }) => driver)
  const entitlements = records.flatMap(({ entitlement }) => entitlement)
  const tokens = records.map(({ token }) => token)
  const missing = [
    ...unseen(Object.keys(shape.endorsements.element.shape), endorsements),
    ...unseen(Object.keys(shape.driver.shape), drivers),
    ...unseen(Object.keys(shape), records),
    ...unseen(Object.keys(shape.entitlement.element.shape), entitlements),
    ...unseen(Object.keys(shape.token.shape), tokens),
  ]

  // Code fills in the literals, and photographs belong to driver find.
  expect(missing).toEqual(['offenceLegalLiteral', 'photograph', 'categoryLegalLiteral'])
  expect(always.filter((member) => !records.every((record) => member in record))).toEqual([])
  expect(records.some((record) => record.endorsements.length === 0)).toBe(true)
  expect(records.some((record) => record.entitlement.length === 0)).toBe(true)
})

test('dates move with the clock', () => {
  const speedingAt = (at: string) => recordOf('TCAEU610267NO9EK', new Date(at)).endorsements

  expect(speedingAt('2026-03-02T09:00:00Z')).toEqual([
    {
      offenceCode: 'SP30',
      offenceDate: '2025-03-02',
      convictionDate: '2025-05-02',
      sentenceDate: '2025-05-02',
      penaltyPoints: 3,
      penaltyPointsExpiryDate: '2029-03-02',
    },
  ])
  expect(speedingAt('2030-07-15T09:00:00Z')[0]?.offenceDate).toBe('2029-07-15')
})

test('whatever the day, every record could be imported', () => {
  const leapDay = recordsAt(new Date('2028-02-29T23:59:00Z'))

  expect(leapDay.map((record) => driverRecordSchema.parse(record))).toEqual(leapDay)
})

test('each driver of driver find can be retrieved', () => {
  const numbers = uatFindDrivers.map(({ driver }) => driver.drivingLicenceNumber)

  expect(numbers.map((number) => recordOf(number))).toEqual(uatFindDrivers)
  expect(
    numbers.filter((number) => driverScenarios.some((it) => it.drivingLicenceNumber === number)),
  ).toEqual([])
})

function recordOf(number: string, at = now): DriverRecord {
  const outcome = driverScenario(number)?.outcome
  if (outcome?.kind !== 'record') throw new Error(`${number} has no record`)
  return outcome.record(at)
}

function unseen(members: readonly string[], items: readonly object[]): string[] {
  return members.filter((member) => !items.some((item) => member in item))
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)].sort()
}

/** Returns whether the number follows from its holder. */
function isNumberOf(holder: DriverRecord['driver']): boolean {
  const { drivingLicenceNumber: number } = holder
  const parts = { fourteenth: number.charAt(13), checkLetters: number.slice(14) }
  return drivingLicenceNumberOf(holder, parts) === number
}
