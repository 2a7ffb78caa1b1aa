import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import type { Random } from '../chance/random.ts'
import { type Kind, weighted } from './models.ts'

type Engine = Pick<
  VehicleRecord,
  'fuelType' | 'engineCapacity' | 'co2Emissions' | 'euroStatus' | 'realDrivingEmissions'
>

/** Fuels of cars by year of first registration. */
const carFuels: [untilYear: number, draw: (random: Random) => string][] = [
  [1970, weighted('PETROL 985,DIESEL 10,STEAM 5')],
  [1999, weighted('PETROL 840,DIESEL 155,GAS 4,OTHER 1')],
  [2009, weighted('PETROL 615,DIESEL 370,GAS BI-FUEL 8,HYBRID ELECTRIC 5,GAS 2')],
  [2016, weighted('PETROL 490,DIESEL 470,HYBRID ELECTRIC 30,ELECTRICITY 10')],
  [2021, weighted('PETROL 615,DIESEL 240,HYBRID ELECTRIC 90,ELECTRICITY 54,FUEL CELLS 1')],
  [
    Number.POSITIVE_INFINITY,
    weighted('PETROL 510,DIESEL 70,HYBRID ELECTRIC 215,ELECTRICITY 204,FUEL CELLS 1'),
  ],
]
const vanFuel = weighted('DIESEL 930,ELECTRICITY 35,PETROL 30,HYBRID ELECTRIC 5')
const oldVanFuel = weighted('DIESEL 850,PETROL 120,GAS BI-FUEL 30')
const heavyFuel = weighted('DIESEL 900,HEAVY OIL 70,GAS 10,GAS DIESEL 10,ELECTRICITY 10')

const capacities: Record<Kind, readonly number[]> = {
  car: [
    875, 998, 999, 999, 1084, 1198, 1199, 1242, 1332, 1390, 1395, 1498, 1499, 1560, 1598, 1598,
    1798, 1968, 1984, 1995, 1997, 1998, 2143, 2179, 2497, 2967, 2993, 3498, 4395,
  ],
  van: [1248, 1461, 1499, 1560, 1598, 1749, 1968, 1995, 1996, 1997, 2143, 2198, 2299, 2402],
  motorbike: [
    49, 124, 124, 125, 249, 321, 398, 471, 599, 645, 649, 689, 765, 847, 899, 998, 1170, 1254, 1690,
  ],
  tricycle: [124, 278, 493, 848, 998],
  lorry: [4462, 5132, 6693, 7698, 9300, 10837, 12777, 12809, 13000],
  bus: [4462, 5132, 6693, 6700, 7698, 10837],
  tractor: [2887, 3621, 4525, 6057, 6788, 8984],
}

/** Expensive cars have no smaller engine than this. */
const dearCapacity = 1498

const euroStatuses: [fromYear: number, status: string][] = [
  [2019, 'EURO 6 AD'],
  [2015, 'EURO6'],
  [2011, 'EURO5'],
  [2006, 'EURO4'],
  [2001, 'EURO3'],
  [1997, 'EURO2'],
  [1993, 'EURO1'],
]

/** Draws the fuel of a vehicle of this kind by its year of first registration. */
export function drawFuel(random: Random, kind: Kind, year: number): string {
  if (kind === 'car') {
    const [, draw] = carFuels.find(([untilYear]) => year <= untilYear) as (typeof carFuels)[number]
    return draw(random)
  }
  if (kind === 'van') return year < 2012 ? oldVanFuel(random) : vanFuel(random)
  if (kind === 'motorbike' || kind === 'tricycle') {
    return year >= 2012 && random.chance(0.03) ? 'ELECTRICITY' : 'PETROL'
  }
  return year >= 2012 ? heavyFuel(random) : 'DIESEL'
}

/** Draws an engine. Without combustion it has neither a capacity nor emissions. */
export function drawEngine(
  random: Random,
  { kind, fuelType, year, isDear }: { kind: Kind; fuelType: string; year: number; isDear: boolean },
): Engine {
  if (fuelType === 'ELECTRICITY' || fuelType === 'FUEL CELLS' || fuelType === 'STEAM')
    return { fuelType }

  const engineCapacity = Math.max(random.pick(capacities[kind]), isDear ? dearCapacity : 0)
  const engine: Engine = { fuelType, engineCapacity }
  const isCar = kind === 'car'
  if ((isCar && year >= 2001) || (kind === 'van' && year >= 2010)) {
    engine.co2Emissions = emissionsOf(random, fuelType, engineCapacity, year)
  }
  const euro = euroStatuses.find(([fromYear]) => year >= fromYear)
  if (euro && kind !== 'tractor') engine.euroStatus = euro[1]
  if (isCar && year >= 2018) engine.realDrivingEmissions = year >= 2021 ? '2' : '1'
  return engine
}

/** Draws grams per kilometre: more for larger engines, less for newer ones. */
function emissionsOf(random: Random, fuelType: string, capacity: number, year: number): number {
  if (fuelType === 'HYBRID ELECTRIC') return 18 + random.below(95)
  const ofFuel = fuelType === 'DIESEL' ? 0.034 : 0.044
  const saved = Math.min(35, Math.max(0, (year - 2001) * 2))
  return Math.round(95 + capacity * ofFuel - saved + random.below(25))
}
