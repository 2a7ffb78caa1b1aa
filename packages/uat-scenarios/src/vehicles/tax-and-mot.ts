import {
  type MotStatus,
  motStatuses,
  type TaxStatus,
  taxStatuses,
} from '@despatch/domain/vehicle/vehicle-record'
import { day } from '../day.ts'
import { type Details, vehicle } from '../vehicle-scenario.ts'
import { car, taxed, tested } from './ordinary-car.ts'

const taxDetails: Record<TaxStatus, (now: Date) => Details> = {
  'Not Taxed for on Road Use': () => ({}),
  SORN: () => ({}),
  Taxed: (now) => ({ taxDueDate: day(now, { months: 6 }) }),
  Untaxed: (now) => ({ taxDueDate: day(now, { days: -1 }) }),
}

const motDetails: Record<MotStatus, (now: Date) => Details> = {
  'No details held by Service': () => ({}),
  'No results returned': () => ({}),
  'Not valid': (now) => ({ motExpiryDate: day(now, { days: -1 }) }),
  Valid: (now) => ({ motExpiryDate: day(now, { days: 1 }) }),
}

/** UAT1nn: the nth tax status. */
export const vehiclesByTaxStatus = taxStatuses.map((taxStatus, index) =>
  vehicle(`UAT${101 + index}`, `taxStatus ${taxStatus}`, (now) => ({
    ...car,
    ...tested(now),
    taxStatus,
    ...taxDetails[taxStatus](now),
  })),
)

/** UAT2nn: the nth MOT status. */
export const vehiclesByMotStatus = motStatuses.map((motStatus, index) =>
  vehicle(`UAT${201 + index}`, `motStatus ${motStatus}`, (now) => ({
    ...car,
    ...taxed(now),
    motStatus,
    ...motDetails[motStatus](now),
  })),
)
