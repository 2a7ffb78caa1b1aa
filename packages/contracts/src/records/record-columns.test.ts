import { expect, test } from 'vitest'
import { recordColumns, requiredObjects } from './record-columns.ts'

test('a column is named by the dotted path of its member; lists, numbers and booleans are JSON', () => {
  const columns = recordColumns('driver')

  expect(columns.find(({ path }) => path === 'driver.drivingLicenceNumber')).toEqual({
    path: 'driver.drivingLicenceNumber',
    holds: 'text',
    isRequired: true,
  })
  expect(columns.filter(({ isRequired }) => isRequired).map(({ path }) => path)).toEqual([
    'driver.drivingLicenceNumber',
    'driver.lastName',
    'driver.gender',
    'driver.dateOfBirth',
    'licence.type',
    'licence.status',
    'entitlement',
    'endorsements',
  ])
  expect(columns.filter(({ holds }) => holds === 'json').map(({ path }) => path)).toEqual([
    'driver.disqualifiedForLife',
    'driver.disqualifiedPendingSentence',
    'entitlement',
    'endorsements',
    'cpcs',
    'testPass',
    'tachoCards',
    'tachoUnderPreviousDln',
    'previousDrivingLicences',
  ])
  expect(columns.map(({ path }) => path)).toContain('driver.address.unstructuredAddress.postcode')
  expect(requiredObjects('driver')).toEqual(['driver', 'licence', 'token'])
})

test('a vehicle requires only its registration number', () => {
  const wanted = recordColumns('vehicle').filter(({ isRequired }) => isRequired)

  expect(wanted.map(({ path }) => path)).toEqual(['registrationNumber'])
  expect(requiredObjects('vehicle')).toEqual([])
})
