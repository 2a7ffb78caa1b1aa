import { vehicleRecordSchema } from '@despatch/contracts/records/vehicle-record'
import { motStatuses, taxStatuses } from '@despatch/domain/vehicle/vehicle-record'
import { expect, test } from 'vitest'
import { vehicleScenario, vehicleScenarios } from './vehicle-scenarios.ts'

const now = new Date('2026-03-02T09:00:00Z')
const recordOf = (registrationNumber: string, at = now) => {
  const outcome = vehicleScenario(registrationNumber)?.outcome
  if (outcome?.kind !== 'record') throw new Error(`${registrationNumber} has no record`)
  return outcome.record(at)
}
const records = vehicleScenarios.flatMap(({ outcome }) =>
  outcome.kind === 'record' ? [outcome.record(now)] : [],
)

test('AA19AAA has every member that the public test list gives it', () => {
  expect(recordOf('AA19AAA')).toEqual({
    registrationNumber: 'AA19AAA',
    taxStatus: 'Taxed',
    taxDueDate: '2027-03-02',
    artEndDate: '2025-03-30',
    motStatus: 'No details held by Service',
    make: 'FORD',
    monthOfFirstServiceRegistration: '2019-03',
    monthOfFirstRegistration: '2019-03',
    yearOfManufacture: 2019,
    engineCapacity: 2000,
    co2Emissions: 300,
    fuelType: 'PETROL',
    markedForExport: false,
    colour: 'RED',
    typeApproval: 'M1',
    wheelplan: '2 AXLE RIGID BODY',
    revenueWeight: 0,
    realDrivingEmissions: '1',
    dateOfLastV5CIssued: '2019-05-20',
    euroStatus: 'EURO1',
  })
})

test.each([
  ['AA19EEE', 200],
  ['AA19PPP', 200],
  ['AA19SRN', 200],
  ['AA19MOT', 200],
  ['L2WPS', 200],
  ['AA19DSL', 200],
  ['AA19AMP', 200],
  ['ER19BAD', 400],
  ['ER19NFD', 404],
  ['ER19THR', 429],
  ['ER19ERR', 500],
  ['ER19MNT', 503],
])('the public test number %s gives %d', (registrationNumber, status) => {
  expect(vehicleScenario(registrationNumber)?.status).toBe(status)
})

test('AA19SRN has no tax due date', () => {
  expect(recordOf('AA19SRN')).toMatchObject({ taxStatus: 'SORN' })
  expect(recordOf('AA19SRN')).not.toHaveProperty('taxDueDate')
})

test.each(['2026-03-02T09:00:00Z', '2031-12-31T12:00:00Z'])(
  'dates move with the clock: %s',
  (at) => {
    const today = at.slice(0, 10)
    const nextYear = `${Number(at.slice(0, 4)) + 1}${at.slice(4, 10)}`

    expect(recordOf('AA19AAA', new Date(at)).taxDueDate).toBe(nextYear)
    expect(recordOf('AA19MOT', new Date(at))).toMatchObject({
      make: 'AUDI',
      motStatus: 'Valid',
      motExpiryDate: nextYear,
    })
    const untaxed = recordOf('L2WPS', new Date(at))
    expect(untaxed.taxStatus).toBe('Untaxed')
    expect(untaxed.taxDueDate! < today).toBe(true)
  },
)

test('every status of the specification occurs, and 403', () => {
  expect(distinct(vehicleScenarios.map(({ status }) => status))).toEqual([
    200, 400, 403, 404, 429, 500, 503,
  ])
})

test('the status in one of our own numbers is the status of its answer', () => {
  const own = vehicleScenarios.filter(({ registrationNumber }) =>
    /^UAT[45]/.test(registrationNumber),
  )

  expect(own.map(({ status }) => `UAT${status}`)).toEqual(
    own.map(({ registrationNumber }) => registrationNumber),
  )
})

test('every tax status and every MOT status occurs', () => {
  expect(distinct(records.flatMap(({ taxStatus = [] }) => taxStatus))).toEqual(
    taxStatuses.toSorted(),
  )
  expect(distinct(records.flatMap(({ motStatus = [] }) => motStatus))).toEqual(
    motStatuses.toSorted(),
  )
})

test('every optional member is there and is absent somewhere', () => {
  const members = Object.keys(vehicleRecordSchema.shape).filter(
    (member) => member !== 'registrationNumber',
  )
  const always = members.filter((member) => records.every((record) => member in record))
  const never = members.filter((member) => !records.some((record) => member in record))

  expect({ always, never }).toEqual({ always: [], never: [] })
  expect(records.map(({ markedForExport }) => markedForExport)).toContain(true)
  expect(distinct(records.flatMap(({ automatedVehicle = [] }) => automatedVehicle))).toEqual([
    false,
    true,
  ])
})

test('every number occurs once, and its record is its own and could be imported', () => {
  const numbers = vehicleScenarios.map(({ registrationNumber }) => registrationNumber)

  expect(distinct(numbers)).toHaveLength(numbers.length)
  expect(records.map((record) => vehicleRecordSchema.parse(record))).toEqual(records)
  expect(
    vehicleScenarios.filter(
      ({ registrationNumber, outcome }) =>
        outcome.kind === 'record' && outcome.record(now).registrationNumber !== registrationNumber,
    ),
  ).toEqual([])
})

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)].sort()
}
