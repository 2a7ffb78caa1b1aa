import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import { expect, test } from 'vitest'
import { renderVehicle, vehicleResponseSchema } from './vehicle-response.ts'

const everyMember: VehicleRecord = {
  registrationNumber: 'AA19AAA',
  taxStatus: 'Taxed',
  taxDueDate: '2027-11-20',
  artEndDate: '2025-03-30',
  motStatus: 'No details held by Service',
  motExpiryDate: '2027-01-01',
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
  automatedVehicle: false,
}

test('returns every member, in the order of the interface', () => {
  const stored = Object.fromEntries(Object.entries(everyMember).reverse())

  const answer = JSON.stringify(renderVehicle(stored as VehicleRecord))

  expect(answer).toBe(JSON.stringify(everyMember))
  expect(vehicleResponseSchema.parse(JSON.parse(answer))).toEqual(everyMember)
})

test('leaves out unknown values and members, and keeps zero, false and the empty string', () => {
  const stored = {
    registrationNumber: 'AA19AAA',
    taxStatus: null,
    make: undefined,
    colour: '',
    revenueWeight: 0,
    markedForExport: false,
    keeper: 'A Person',
  } as unknown as VehicleRecord

  expect(JSON.stringify(renderVehicle(stored))).toBe(
    '{"registrationNumber":"AA19AAA","markedForExport":false,"colour":"","revenueWeight":0}',
  )
})
