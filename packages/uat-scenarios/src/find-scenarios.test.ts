import { driverRecordSchema } from '@despatch/contracts/records/driver-record'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { drivingLicenceNumberOf } from '@despatch/domain/driver/driving-licence-number'
import { expect, test } from 'vitest'
import { findRefusal, findRefusals, findScenarios, uatFindDrivers } from './find-scenarios.ts'

test('every driver occurs once, agrees with the number and could be imported', () => {
  const numbers = uatFindDrivers.map(({ driver }) => driver.drivingLicenceNumber)
  const wrong = uatFindDrivers.filter(({ driver }) => !isNumberOf(driver))

  expect(new Set(numbers).size).toBe(numbers.length)
  expect(wrong).toEqual([])
  expect(uatFindDrivers.map((driver) => driverRecordSchema.parse(driver))).toEqual(uatFindDrivers)
})

test('every search has three criteria, finds drivers there are, and counts them', () => {
  const numbers = new Set(uatFindDrivers.map(({ driver }) => driver.drivingLicenceNumber))

  for (const { criteria, finds, totalCount, limit = 20 } of findScenarios) {
    expect(Object.keys(criteria).length).toBeGreaterThanOrEqual(3)
    expect(finds.filter((number) => !numbers.has(number))).toEqual([])
    expect(finds.length).toBeLessThanOrEqual(Math.min(totalCount, limit))
  }
})

const used = (option: 'lastNameMatchType' | 'firstNamesMatchType') =>
  findScenarios.map(({ options }) => String(options?.[option]))

test.each([
  ['type of matching last names', used('lastNameMatchType'), 'phonetic token undefined'],
  ['type of matching first names', used('firstNamesMatchType'), 'exact token undefined'],
  [
    'criterion',
    findScenarios.flatMap(({ criteria }) => Object.keys(criteria)),
    'dateOfBirth firstNames fullName gender lastName postcode',
  ],
  [
    'option',
    findScenarios.flatMap(({ options = {} }) => Object.keys(options)),
    [
      ...['firstNamesMatchType', 'includeImagesInResults', 'includePartialPostcodesInResults'],
      ...['lastNameMatchType', 'orderBy', 'searchDateOfBirthOnPreviousLicences'],
      'searchNamesOnPreviousLicences',
    ].join(' '),
  ],
])('every %s is searched with', (_, searched, all) => {
  expect([...new Set(searched)].sort().join(' ')).toBe(all)
})

test.each([
  ['UATBADREQUEST', 400],
  [' uatbadrequest ', 400],
  ['UATTOOMANY', 429],
  ['UATERROR', 500],
  ['UATUNAVAILABLE', 503],
  ['SMITH', undefined],
])('a search by the last name %j is refused with %s', (lastName, status) => {
  expect(findRefusal(lastName)?.status).toBe(status)
})

test('no caller has the name of a refusal', () => {
  const names = new Set(uatFindDrivers.map(({ driver }) => driver.lastName))

  expect(findRefusals.filter(({ lastName }) => names.has(lastName))).toEqual([])
})

/** Returns whether the number follows from its holder. */
function isNumberOf(holder: DriverRecord['driver']): boolean {
  const { drivingLicenceNumber: number } = holder
  const parts = { fourteenth: number.charAt(13), checkLetters: number.slice(14) }
  return drivingLicenceNumberOf(holder, parts) === number
}
