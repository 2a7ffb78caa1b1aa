import type { CategoryCode } from '@despatch/domain/driver/categories'
import type { Entitlement, Restriction } from '@despatch/domain/driver/driver-record'
import type { CategoryType } from '@despatch/domain/driver/values'
import { anniversary, type Day, dayOf, formatDay } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import type { Career } from './career.ts'
import type { Person } from './person.ts'

/** Tests from this day on no longer include small lorries and buses. */
const carTestsNarrowed = dayOf(1997, 1, 1)

const wearsGlasses = 0.24
const hasAdaptations = 0.004
const isOrganDonor = 0.03
/** Share of drivers over 70 with an old test who kept the small lorries and buses that it included. */
const keptOldCategories = 0.12

const adaptations = ['10', '15', '20', '25', '31', '32', '33', '35', '40', '42', '43', '114', '02']

/**
 * Draws what a driver may drive, by the tests passed. Cars: to the day before 70, then 3 years at a time. Lorries and
 * buses: to 45, then 5 years at a time to 65, then one year at a time.
 */
export function drawEntitlements(
  random: Random,
  { person, career, until, today }: { person: Person; career: Career; until: Day; today: Day },
): Entitlement[] {
  const list = createList(drawPersonalRestrictions(random), {
    cars: until,
    lorries: Math.min(until, lorriesUntil(person)),
  })

  if (career.carTest === undefined) addProvisional(list, random, person, today)
  else addCar(list, random, career, career.carTest, person)
  addMotorbike(list, random, career, person)
  addVocational(list, career)
  return list.entitlements
}

/** Returns the last day of the entitlement to drive cars. For an expired licence that is the day it expired. */
export function entitledUntil(
  { birth, age }: Person,
  { hasExpired }: { hasExpired: boolean },
): Day {
  const renewals = age < 70 ? 0 : Math.floor((age - 70) / 3) + (hasExpired ? 0 : 1)
  return anniversary(birth, 70 + 3 * renewals) - 1
}

function lorriesUntil({ birth, age }: Person): Day {
  const untilAge = age < 45 ? 45 : age < 65 ? 50 + 5 * Math.floor((age - 45) / 5) : age + 1
  return anniversary(birth, untilAge) - 1
}

type List = ReturnType<typeof createList>

function createList(personal: readonly string[], until: { cars: Day; lorries: Day }) {
  const entitlements: Entitlement[] = []
  const add = (
    expiry: Day,
    categoryType: CategoryType,
    from: Day,
    codes: readonly CategoryCode[],
    restrictions: readonly string[] = [],
  ): void => {
    if (from > expiry) return
    for (const categoryCode of codes) {
      if (entitlements.some((known) => known.categoryCode === categoryCode)) continue
      const entitlement: Entitlement = {
        categoryCode,
        categoryType,
        fromDate: formatDay(from),
        expiryDate: formatDay(expiry),
      }
      const codesOfAll = restrictions.length > 0 ? [...personal, ...restrictions] : personal
      if (codesOfAll.length > 0) entitlement.restrictions = codesOfAll.map(restrictionOf)
      entitlements.push(entitlement)
    }
  }
  return {
    entitlements,
    addCars: (
      type: CategoryType,
      from: Day,
      codes: readonly CategoryCode[],
      restrictions?: readonly string[],
    ) => add(until.cars, type, from, codes, restrictions),
    addLorries: (from: Day, codes: readonly CategoryCode[], restrictions?: readonly string[]) =>
      add(until.lorries, 'Full', from, codes, restrictions),
  }
}

function restrictionOf(restrictionCode: string): Restriction {
  return { restrictionCode }
}

function addCar(list: List, random: Random, career: Career, test: Day, { age }: Person): void {
  const transmission = career.withAutomaticTransmission ? ['78'] : []
  list.addCars('Full', test, ['B', 'BE'], transmission)
  if (test >= carTestsNarrowed) {
    list.addCars('Full', test, ['AM', 'F', 'K', 'P', 'Q'])
  } else {
    list.addCars('Full', test, ['AM', 'B1', 'F', 'K', 'L', 'N', 'P', 'Q'])
    if (age < 70 || random.chance(keptOldCategories)) {
      if (!career.lorry) list.addCars('Full', test, ['C1'], transmission)
      if (!career.lorry) list.addCars('Full', test, ['C1E'], [...transmission, '107'])
      if (!career.bus) list.addCars('Full', test, ['D1', 'D1E'], [...transmission, '101'])
    }
  }
  if (random.chance(0.006)) list.addCars('Full', test, ['G', 'H'])
  if (random.chance(0.004)) list.addCars('Full', test, ['H'])
}

function addMotorbike(list: List, random: Random, career: Career, { birth }: Person): void {
  const { motorbike } = career
  if (motorbike) {
    const { category, test } = motorbike
    const codes = { A: ['A', 'A2', 'A1'], A2: ['A2', 'A1'], A1: ['A1'] } as const
    const onTricycles = random.chance(0.03) ? ['79(03)'] : []
    list.addCars('Full', test, codes[category], onTricycles)
    list.addCars('Full', test, ['AM', 'K', 'P', 'Q'])
  } else if (career.carTest !== undefined && random.chance(0.55)) {
    const onTricycles = random.chance(0.02) ? ['79(3)'] : []
    list.addCars(
      'Provisional',
      Math.min(career.carTest, anniversary(birth, 17)),
      ['A'],
      onTricycles,
    )
  }
}

function addProvisional(list: List, random: Random, { birth, age }: Person, today: Day): void {
  const from = anniversary(birth, age >= 17 ? 17 : 16) + random.below(30)
  const start = Math.min(from, today)
  const onCompletion = random.chance(0.3) ? ['122'] : []
  if (age >= 17) list.addCars('Provisional', start, ['B', 'A'])
  else list.addCars('Provisional', start, ['B'], ['118'])
  list.addCars('Provisional', start, ['AM', 'P', 'Q'], onCompletion)
  list.addCars('Provisional', start, ['F', 'K'])
}

function addVocational(
  list: List,
  { lorry, bus, isProfessional, withAutomaticTransmission }: Career,
): void {
  const restrictions = [
    ...(withAutomaticTransmission ? ['78'] : []),
    ...(isProfessional ? ['95'] : []),
  ]
  if (lorry) {
    const codes = {
      C1: ['C1', 'C1E'],
      C: ['C', 'C1', 'C1E'],
      CE: ['C', 'CE', 'C1', 'C1E'],
    } as const
    list.addLorries(lorry.test, codes[lorry.category], restrictions)
  }
  if (bus) {
    const codes = { D1: ['D1', 'D1E'], D: ['D', 'D1'], DE: ['D', 'DE', 'D1', 'D1E'] } as const
    list.addLorries(bus.test, codes[bus.category], restrictions)
  }
  if (bus?.category === 'DE') list.addLorries(bus.test, ['M'])
}

function drawPersonalRestrictions(random: Random): string[] {
  const restrictions: string[] = []
  if (random.chance(wearsGlasses)) restrictions.push('01')
  if (random.chance(hasAdaptations)) restrictions.push(random.pick(adaptations))
  if (random.chance(isOrganDonor)) restrictions.push('115')
  return restrictions
}
