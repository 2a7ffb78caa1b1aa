import { day } from '../day.ts'
import { fault, refusal, type VehicleScenario, vehicle } from '../vehicle-scenario.ts'
import { car, taxed, tested } from './ordinary-car.ts'

/** The agency's public test numbers. */
export const publishedVehicles: readonly VehicleScenario[] = [
  vehicle('AA19AAA', 'Every member of an ordinary car', (now) => ({
    ...car,
    ...taxed(now),
    artEndDate: '2025-03-30',
    motStatus: 'No details held by Service',
    engineCapacity: 2000,
    co2Emissions: 300,
    colour: 'RED',
    revenueWeight: 0,
    euroStatus: 'EURO1',
  })),
  vehicle('AA19EEE', 'An ordinary car', (now) => ({ ...car, ...taxed(now), ...tested(now) })),
  vehicle('AA19PPP', 'An ordinary petrol car', (now) => ({
    ...car,
    ...taxed(now),
    ...tested(now),
    make: 'VAUXHALL',
    colour: 'SILVER',
  })),
  vehicle('AA19SRN', 'Declared off the road (SORN), no tax due date', (now) => ({
    ...car,
    taxStatus: 'SORN',
    ...tested(now),
  })),
  vehicle('AA19MOT', 'MOT valid for another year', (now) => ({
    ...car,
    ...taxed(now),
    make: 'AUDI',
    motStatus: 'Valid',
    motExpiryDate: day(now, { years: 1 }),
  })),
  vehicle('L2WPS', 'Untaxed, tax due in the past; a plate of another shape', (now) => ({
    ...car,
    ...tested(now),
    taxStatus: 'Untaxed',
    taxDueDate: day(now, { months: -3 }),
  })),
  vehicle('AA19DSL', 'A diesel car', (now) => ({
    ...car,
    ...taxed(now),
    ...tested(now),
    make: 'VOLKSWAGEN',
    engineCapacity: 1968,
    fuelType: 'DIESEL',
    colour: 'GREY',
  })),
  vehicle('AA19AMP', 'An electric car: no engine capacity, no Euro status', (now) => {
    const { engineCapacity: _, euroStatus: __, realDrivingEmissions: ___, ...electric } = car
    return {
      ...electric,
      ...taxed(now),
      ...tested(now),
      make: 'TESLA',
      fuelType: 'ELECTRICITY',
      co2Emissions: 0,
      colour: 'WHITE',
    }
  }),
  refusal('ER19BAD', 400, 'invalid-field'),
  refusal('ER19NFD', 404, 'vehicle-not-found'),
  refusal('ER19THR', 429, 'too-many-requests'),
  fault('ER19ERR'),
  refusal('ER19MNT', 503, 'unavailable'),
]
