import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import {
  anniversary,
  type Day,
  dayOf,
  formatDay,
  monthsLater,
  parseDay,
  partsOf,
} from './calendar.ts'
import { createRandom, type Random } from './chance/random.ts'
import { drawEngine, drawFuel } from './registrations/engine.ts'
import { dearMakes, drawColour, drawKind, type Kind, makesOf } from './registrations/models.ts'
import { createRegistrations, type Registration } from './registrations/registration-mark.ts'
import { drawMot, drawTax } from './registrations/taxation.ts'

export type VehicleSet = {
  /** A whole number. The same seed makes the same vehicles. */
  seed: number
  /** How many. Infinity: as many as the caller takes. */
  count: number
  /** YYYY-MM-DD. Tax, test and age are as of this day. */
  today: string
}

/** Expensive cars registered from this day on pay an additional rate for five years, starting with the second. */
const additionalRateSince = dayOf(2017, 4, 1)
const additionalRateYears = 6
const typeApprovalSince = 1998

/**
 * Generates vehicles with frequencies as in the United Kingdom, one after another, without storing any. Registration
 * numbers are unique and match the day of first registration; a mark may coincide with that of a real vehicle. The
 * vehicle at an index depends only on seed and today, so a small set is the start of a large one. Throws an error that
 * names the field if a setting is out of range.
 */
export function* generateVehicles(set: VehicleSet): Generator<VehicleRecord, void, undefined> {
  const { seed, count } = set
  if (!Number.isSafeInteger(seed)) throw new Error('seed is not a whole number')
  if (!(count >= 0)) throw new Error('count is not a number from 0 on')
  const today = parseDay(set.today, 'today')
  const randoms = createRandom(seed)
  const registrationOf = createRegistrations(seed, today)

  for (let index = 0; index < count; index++) {
    const random = randoms.at(index)
    yield drawVehicle(random, registrationOf(index, random), today)
  }
}

function drawVehicle(random: Random, registration: Registration, today: Day): VehicleRecord {
  const { registrationNumber, first } = registration
  const { year, month } = partsOf(first)
  const kind = drawKind(random)
  const fuelType = drawFuel(random, kind, year)
  const make = makesOf(kind, { year, isElectric: fuelType === 'ELECTRICITY' })(random)
  const tax = drawTax(random, first, today)
  const isDear = kind === 'car' && dearMakes.has(make)
  const isTaxed = tax.taxStatus === 'Taxed'

  const vehicle: VehicleRecord = {
    registrationNumber,
    ...tax,
    ...drawMot(random, { registration, kind, isTaxed, today }),
    make,
    monthOfFirstServiceRegistration: monthOf(drawImport(random, first, today)),
    monthOfFirstRegistration: monthOf(first),
    yearOfManufacture: month <= 3 && random.chance(0.5) ? year - 1 : year,
    ...drawEngine(random, { kind, fuelType, year, isDear }),
    markedForExport: !isTaxed && random.chance(0.06),
    colour: drawColour(random),
    ...bodyOf(random, kind, year),
    dateOfLastV5CIssued: formatDay(today - Math.floor((today - first) * random.unit() ** 1.5)),
  }
  if (isDear && first >= additionalRateSince && random.chance(0.5)) {
    vehicle.artEndDate = formatDay(anniversary(first, additionalRateYears) - 1)
  }
  if (year >= 2024 && random.chance(0.1)) vehicle.automatedVehicle = random.chance(0.03)
  return vehicle
}

/** Share of vehicles that were imported used. */
const isImport = 0.015

function drawImport(random: Random, first: Day, today: Day): Day {
  if (!random.chance(isImport)) return first
  return Math.min(today, monthsLater(first, 1 + random.below(120)))
}

type Body = Pick<VehicleRecord, 'typeApproval' | 'wheelplan' | 'revenueWeight'>

function bodyOf(random: Random, kind: Kind, year: number): Body {
  const body = drawBody(random, kind)
  if (year < typeApprovalSince) delete body.typeApproval
  return body
}

function drawBody(random: Random, kind: Kind): Body {
  const wheelplan = '2 AXLE RIGID BODY'
  switch (kind) {
    case 'car':
      return { typeApproval: 'M1', wheelplan }
    case 'van':
      return {
        typeApproval: 'N1',
        wheelplan,
        revenueWeight: random.pick([1850, 2040, 2400, 2800, 3000, 3200, 3500, 3500]),
      }
    case 'motorbike':
      return { typeApproval: random.chance(0.08) ? 'L1' : 'L3', wheelplan: '2-WHEEL' }
    case 'tricycle':
      return { typeApproval: 'L5', wheelplan: '3 WHEEL' }
    case 'lorry':
      return drawLorry(random)
    case 'bus': {
      const isLarge = random.chance(0.8)
      return isLarge
        ? { typeApproval: 'M3', wheelplan, revenueWeight: random.pick([12_000, 18_000]) }
        : { typeApproval: 'M2', wheelplan, revenueWeight: 5000 }
    }
    case 'tractor':
      return { typeApproval: 'T1', wheelplan }
  }
}

function drawLorry(random: Random): Body {
  return random.pick<Body>([
    { typeApproval: 'N2', wheelplan: '2 AXLE RIGID BODY', revenueWeight: 7500 },
    { typeApproval: 'N2', wheelplan: '2 AXLE RIGID BODY', revenueWeight: 12_000 },
    { typeApproval: 'N3', wheelplan: '2 AXLE RIGID BODY', revenueWeight: 18_000 },
    { typeApproval: 'N3', wheelplan: '3 AXLE RIGID BODY', revenueWeight: 26_000 },
    { typeApproval: 'N3', wheelplan: 'MULTI-AXLE RIGID', revenueWeight: 32_000 },
    { typeApproval: 'N3', wheelplan: '2-AXLE & ARTIC', revenueWeight: 44_000 },
  ])
}

function monthOf(day: Day): string {
  return formatDay(day).slice(0, 7)
}
