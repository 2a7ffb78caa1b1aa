import { day } from '../day.ts'
import type { Details } from '../vehicle-scenario.ts'

/** Most vehicles of the scenarios are this one, except for what they demonstrate. */
export const car = {
  make: 'FORD',
  monthOfFirstServiceRegistration: '2019-03',
  monthOfFirstRegistration: '2019-03',
  yearOfManufacture: 2019,
  engineCapacity: 1499,
  co2Emissions: 119,
  fuelType: 'PETROL',
  markedForExport: false,
  colour: 'BLUE',
  typeApproval: 'M1',
  wheelplan: '2 AXLE RIGID BODY',
  revenueWeight: 1640,
  euroStatus: 'EURO 6',
  realDrivingEmissions: '1',
  dateOfLastV5CIssued: '2019-05-20',
} as const satisfies Details

/** Taxed for another year. */
export const taxed = (now: Date) =>
  ({ taxStatus: 'Taxed', taxDueDate: day(now, { years: 1 }) }) as const satisfies Details
/** With a valid MOT for another half year. */
export const tested = (now: Date) =>
  ({ motStatus: 'Valid', motExpiryDate: day(now, { months: 6 }) }) as const satisfies Details
