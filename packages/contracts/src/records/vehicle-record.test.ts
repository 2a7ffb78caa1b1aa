import { expect, test } from 'vitest'
import { parseRow } from './parse-row.ts'
import { vehicleRecordSchema } from './vehicle-record.ts'

const read = (row: unknown) => parseRow(Buffer.from(JSON.stringify(row)), vehicleRecordSchema)

test('accepts a vehicle with every member, unchanged', () => {
  const row = {
    registrationNumber: 'AA19AAA',
    taxStatus: 'SORN',
    taxDueDate: '2027-01-01',
    artEndDate: '2025-03-31',
    motStatus: 'Valid',
    motExpiryDate: '2027-03-31',
    make: 'ROVER',
    monthOfFirstServiceRegistration: '2019-03',
    monthOfFirstRegistration: '2019-03',
    yearOfManufacture: 2019,
    engineCapacity: 1796,
    co2Emissions: 0,
    fuelType: 'PETROL',
    markedForExport: false,
    colour: 'BLUE',
    typeApproval: 'M1',
    wheelplan: '2 AXLE RIGID BODY',
    revenueWeight: 1640,
    realDrivingEmissions: '1',
    dateOfLastV5CIssued: '2020-02-29',
    euroStatus: 'EURO 6 AD',
    automatedVehicle: true,
  }

  expect(read(row)).toEqual({ kind: 'row', row })
})

test('accepts a registration number alone, and returns it in upper case', () => {
  expect(read({ registrationNumber: 'aa19aaa' })).toEqual({
    kind: 'row',
    row: { registrationNumber: 'AA19AAA' },
  })
})

test.for<[reason: string, members: Record<string, unknown>]>([
  [
    'registrationNumber must be 1 to 8 letters and digits without spaces',
    { registrationNumber: 'AA19 AAA' },
  ],
  [
    'taxStatus must be one of Not Taxed for on Road Use, SORN, Taxed, Untaxed',
    { taxStatus: 'taxed' },
  ],
  ['engineCapacity must be greater than or equal to 0', { engineCapacity: -1 }],
  ['make size must be between 1 and 64', { make: 'x'.repeat(65) }],
])('rejects a record: %s', ([reason, members]) => {
  expect(read({ registrationNumber: 'AA19AAA', ...members })).toEqual({
    kind: 'rejected',
    reasons: [reason],
  })
})
