import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import { anniversary, type Day, formatDay, monthsLater, partsOf } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import type { Kind } from './models.ts'
import type { Registration } from './registration-mark.ts'

type Tax = Pick<VehicleRecord, 'taxStatus' | 'taxDueDate'>
type Mot = Pick<VehicleRecord, 'motStatus' | 'motExpiryDate'>

/** Shares of the tax states of vehicles. Older vehicles are more often off the road. */
const taxed = { young: 0.93, old: 0.7 }
const untaxed = 0.3
const notForRoads = 0.04
const oldFromYears = 15

/** Tax is due on the first of a month: in the future if taxed, in the past if untaxed, otherwise none. */
export function drawTax(random: Random, first: Day, today: Day): Tax {
  const isOld = today - first > oldFromYears * 365
  if (random.chance(isOld ? taxed.old : taxed.young)) {
    return { taxStatus: 'Taxed', taxDueDate: formatDay(firstOfMonth(today, 1 + random.below(12))) }
  }
  const kind = random.unit()
  const due = firstOfMonth(today, -random.below(24))
  if (kind < untaxed && due > first) return { taxStatus: 'Untaxed', taxDueDate: formatDay(due) }
  return { taxStatus: kind > 1 - notForRoads ? 'Not Taxed for on Road Use' : 'SORN' }
}

/** Vehicles from 40 years on and tractors require no test. */
const exemptFromYears = 40
const exemptButTested = 0.15
const firstTestYears: Record<Kind, number> = {
  car: 3,
  van: 3,
  motorbike: 3,
  tricycle: 3,
  lorry: 1,
  bus: 1,
  tractor: Number.POSITIVE_INFINITY,
}
const yearsMoreInNorthernIreland = 1

/** Draws the test, which is valid for one year. Vehicles that are too new or too old for a test have no result. */
export function drawMot(
  random: Random,
  {
    registration,
    kind,
    isTaxed,
    today,
  }: { registration: Registration; kind: Kind; isTaxed: boolean; today: Day },
): Mot {
  const years =
    firstTestYears[kind] + (registration.isNorthernIrish ? yearsMoreInNorthernIreland : 0)
  const isExempt =
    anniversary(registration.first, exemptFromYears) <= today && !random.chance(exemptButTested)
  if (!Number.isFinite(years) || isExempt) return { motStatus: 'No details held by Service' }
  const firstDue = anniversary(registration.first, years)
  if (firstDue > today) return { motStatus: 'No details held by Service' }

  if (random.chance(0.01)) return { motStatus: 'No results returned' }
  if (random.chance(isTaxed ? 0.96 : 0.35)) {
    return { motStatus: 'Valid', motExpiryDate: formatDay(today + random.below(365)) }
  }
  const expired = Math.max(firstDue, today - 1 - random.below(1400))
  return { motStatus: 'Not valid', motExpiryDate: formatDay(Math.min(expired, today - 1)) }
}

function firstOfMonth(today: Day, months: number): Day {
  return monthsLater(today - partsOf(today).day + 1, months)
}
