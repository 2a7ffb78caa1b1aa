import { Buffer } from 'node:buffer'
import { categoryCodes } from '@despatch/domain/driver/categories'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { offences } from '@despatch/domain/driver/offences'
import {
  disqualificationTypes,
  licenceStatuses,
  licenceStatusQualifiers,
  licenceTypes,
} from '@despatch/domain/driver/values'
import { byEffort } from '@despatch/testing/effort'
import { describe, expect, test } from 'vitest'
import { faultsOf } from '../test/driver-faults.ts'
import { testSet } from '../test/test-set.ts'
import { type DriverSet, generateDrivers } from './drivers.ts'
import { portraits } from './portraits.ts'

const aSet: DriverSet = { seed: 2026, count: 200, today: '2026-11-20', imagePercent: 25 }

function drivers(change: Partial<DriverSet> = {}): DriverRecord[] {
  return [...generateDrivers({ ...aSet, ...change })]
}

testSet(generateDrivers, { aSet, numberOf: ({ driver }) => driver.drivingLicenceNumber })

test('the same drivers come with and without photographs', () => {
  const without = drivers({ imagePercent: 0 })

  expect(drivers({ imagePercent: 100 }).map(({ photograph: _, ...rest }) => rest)).toEqual(without)
  expect(without.filter(({ photograph }) => photograph !== undefined)).toEqual([])
})

test('all driving licence numbers differ', () => {
  const count = byEffort({ landing: 5_000, full: 200_000 })
  const numbers = new Set<string>()

  for (const { driver } of generateDrivers({ ...aSet, count })) {
    numbers.add(driver.drivingLicenceNumber)
  }

  expect(numbers.size).toBe(count)
})

describe('photographs', () => {
  test('are JPEG files of at most 4 KiB, 40 KiB in all', () => {
    const files = portraits.map((portrait) => Buffer.from(portrait, 'base64'))

    expect(files.filter((file) => file.readUIntBE(0, 3) !== 0xffd8ff)).toEqual([])
    expect(Math.max(...files.map((file) => file.length))).toBeLessThanOrEqual(4096)
    expect(portraits.join('').length).toBeLessThanOrEqual(40 * 1024)
  })

  test('are shared out as asked', () => {
    const withOne = drivers({ count: 4000 }).filter(({ photograph }) => photograph !== undefined)

    expect(withOne.length / 4000).toBeGreaterThan(0.22)
    expect(withOne.length / 4000).toBeLessThan(0.28)
    expect(new Set(withOne.map(({ photograph }) => photograph))).toEqual(new Set(portraits))
  })
})

describe('many drivers', () => {
  const count = byEffort({ landing: 30_000, full: 100_000 })
  const faults: string[] = []
  const seen: Record<string, number> = {}
  const see = (what: string) => {
    seen[what] = (seen[what] ?? 0) + 1
  }
  const shareOf = (what: string) => (seen[what] ?? 0) / count
  for (const record of generateDrivers({ ...aSet, count, imagePercent: 0 })) {
    faults.push(...faultsOf(record, aSet.today))
    seeAll(record, see)
  }

  test('are without a fault', () => {
    expect(faults.slice(0, 10)).toEqual([])
  })

  test('have every licence type, status, qualifier and disqualification type', () => {
    const values = [
      ...licenceTypes,
      ...licenceStatuses,
      ...licenceStatusQualifiers,
      ...disqualificationTypes,
    ]

    expect(values.filter((value) => !seen[value])).toEqual([])
  })

  test('have every shape of disqualification', () => {
    const shapes = [
      'months',
      'years',
      'days',
      'years months days',
      'forLife',
      'disqualifiedPendingSentence',
      'disqualifiedForLife of the driver',
      'disqualifiedPendingSentence of the driver',
      'disqualifiedPendingSentence of the endorsement',
      'disqualifiedUntil of the driver',
      'disqualificationRemovalDate',
      'disqualificationReimposedDate',
      'disqualificationSuspendedPendingAppealDate',
    ]

    expect(shapes.filter((shape) => !seen[shape])).toEqual([])
  })

  test('have every category and nearly every offence', () => {
    const withoutOffence = [...offences.keys()].filter((code) => !seen[code])

    expect(categoryCodes.filter((code) => !seen[`category ${code}`])).toEqual([])
    expect(withoutOffence.length).toBeLessThan(6)
  })

  const shares: [what: string, from: number, to: number][] = [
    ['surname Smith', 0.008, 0.014],
    ['surname Jones', 0.006, 0.011],
    ['surname Patel', 0.0012, 0.003],
    ['double-barrelled', 0.01, 0.03],
    ['apostrophe', 0.003, 0.03],
    ['accent', 0.001, 0.02],
    ['no first names', 0.0002, 0.002],
    ['one first name', 0.2, 0.4],
    ['Valid', 0.9, 0.98],
    ['Full', 0.82, 0.95],
    ['endorsed', 0.06, 0.1],
    ['previous licences', 0.03, 0.05],
    ['previous date of birth', 0.0005, 0.005],
    ['cpcs', 0.01, 0.05],
    ['tachoCards', 0.01, 0.05],
    ['tachoUnderPreviousDln', 0.0001, 0.005],
    ['testPass', 0.01, 0.08],
  ]

  test.for(shares)('%s: at least %j and at most %j of them', ([what, from, to]) => {
    expect(shareOf(what)).toBeGreaterThanOrEqual(from)
    expect(shareOf(what)).toBeLessThanOrEqual(to)
  })

  test('have thousands of surnames and first names, and hundreds of outward codes', () => {
    const kinds = (prefix: string) =>
      Object.keys(seen).filter((key) => key.startsWith(prefix)).length

    expect(kinds('surname ')).toBeGreaterThan(4000)
    expect(kinds('outward ')).toBeGreaterThan(900)
    expect(kinds('first name ')).toBeGreaterThan(1500)
  })
})

test.each([101, -1])('refuses %i as imagePercent by name', (imagePercent) => {
  expect(() => drivers({ imagePercent })).toThrow('imagePercent')
})

function seeAll(record: DriverRecord, see: (what: string) => void): void {
  const { driver, licence } = record
  see(licence.type)
  see(licence.status)
  if (licence.statusQualifier) see(licence.statusQualifier)
  see(`surname ${driver.lastName}`)
  see(`first name ${driver.firstNames?.split(' ')[0]}`)
  see(`outward ${driver.address?.unstructuredAddress.postcode?.split(' ')[0]}`)
  if (driver.lastName.includes('-')) see('double-barrelled')
  if (/['’]/.test(driver.lastName)) see('apostrophe')
  if (/[^\p{ASCII}’]/u.test(driver.lastName)) see('accent')
  if (driver.firstNames === undefined) see('no first names')
  if (driver.firstNames?.split(' ').length === 1) see('one first name')
  for (const member of [
    'disqualifiedForLife',
    'disqualifiedPendingSentence',
    'disqualifiedUntil',
  ] as const) {
    if (driver[member]) see(`${member} of the driver`)
  }
  for (const { categoryCode } of record.entitlement) see(`category ${categoryCode}`)
  if (record.endorsements.length > 0) see('endorsed')
  for (const endorsement of record.endorsements) seeEndorsement(endorsement, see)
  if (record.cpcs) see('cpcs')
  if (record.tachoCards) see('tachoCards')
  if (record.tachoUnderPreviousDln) see('tachoUnderPreviousDln')
  if (record.testPass) see('testPass')
  if (record.previousDrivingLicences) see('previous licences')
  if (
    record.previousDrivingLicences?.some(({ dateOfBirth }) => dateOfBirth !== driver.dateOfBirth)
  ) {
    see('previous date of birth')
  }
}

function seeEndorsement(
  endorsement: DriverRecord['endorsements'][number],
  see: (what: string) => void,
): void {
  const { disqualification } = endorsement
  if (endorsement.offenceCode) see(endorsement.offenceCode)
  if (disqualification?.disqualificationType) see(disqualification.disqualificationType)
  const lengths = (['years', 'months', 'days'] as const).filter((part) => disqualification?.[part])
  if (lengths.length > 0) see(lengths.join(' '))
  if (disqualification?.forLife) see('forLife')
  if (disqualification?.disqualifiedPendingSentence) see('disqualifiedPendingSentence')
  if (endorsement.disqualifiedPendingSentence) see('disqualifiedPendingSentence of the endorsement')
  for (const member of [
    'disqualificationRemovalDate',
    'disqualificationReimposedDate',
    'disqualificationSuspendedPendingAppealDate',
  ] as const) {
    if (endorsement[member]) see(member)
  }
}
