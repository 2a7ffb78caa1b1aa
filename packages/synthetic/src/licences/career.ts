import { anniversary, type Day, dayOf } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import type { Person } from './person.ts'

/** The tests a driver has passed, and when. No test is after today. */
export type Career = {
  /** The test of category B. Undefined if the licence is provisional. */
  carTest?: Day
  withAutomaticTransmission: boolean
  /** Motorbikes of any size, up to 35 kW, or up to 125 cc. */
  motorbike?: { category: 'A' | 'A2' | 'A1'; test: Day }
  /** Lorries: C1, C or C with a trailer. */
  lorry?: { category: 'C1' | 'C' | 'CE'; test: Day }
  /** Buses. */
  bus?: { category: 'D1' | 'D' | 'DE'; test: Day }
  /** Drives for a living. */
  isProfessional: boolean
}

const daysPerYear = 365.25

/** Share of drivers who have passed their test, by age. */
const passed: [belowAge: number, share: number][] = [
  [17, 0],
  [18, 0.2],
  [19, 0.5],
  [21, 0.62],
  [25, 0.76],
  [30, 0.86],
  [Number.POSITIVE_INFINITY, 0.93],
]

/**
 * Draws the tests of a driver. None is before the minimum age or after today. Vocational tests follow that of a car.
 */
export function drawCareer(random: Random, { birth, age, gender }: Person, today: Day): Career {
  const [, passedShare] = passed.find(([belowAge]) => age < belowAge) as [number, number]
  const isAutomatic = random.chance(age < 30 ? 0.16 : 0.07)
  const career: Career = { withAutomaticTransmission: isAutomatic, isProfessional: false }
  if (!random.chance(passedShare)) return career

  const seventeenth = anniversary(birth, 17)
  const yearsSince = (today - seventeenth) / daysPerYear
  const lateYears = Math.min(yearsSince, random.unit() ** 3 * 22)
  const carTest = seventeenth + Math.floor(lateYears * daysPerYear * (0.2 + 0.8 * random.unit()))
  career.carTest = carTest

  const dayBetween = (from: Day): Day => from + random.below(Math.max(1, today - from + 1))
  if (random.chance(gender === 'Male' ? 0.13 : 0.02)) {
    const isYoung = age < 24
    const category = isYoung ? (random.chance(0.5) ? 'A1' : 'A2') : random.chance(0.85) ? 'A' : 'A2'
    const fromAge = category === 'A' ? 24 : category === 'A2' ? 19 : 17
    const from = anniversary(birth, fromAge)
    if (from < today)
      career.motorbike = { category, test: dayBetween(Math.max(from, dayOf(1960, 1, 1))) }
  }
  const vocationalFrom = Math.max(anniversary(birth, 21), carTest + 180)
  if (vocationalFrom < today && random.chance(gender === 'Male' ? 0.065 : 0.008)) {
    const category = random.pick(['C1', 'C', 'CE', 'CE'] as const)
    career.lorry = { category, test: dayBetween(vocationalFrom) }
  }
  const busFrom = Math.max(anniversary(birth, 24), carTest + 180)
  if (busFrom < today && random.chance(gender === 'Male' ? 0.022 : 0.008)) {
    const category = random.pick(['D1', 'D', 'D', 'DE'] as const)
    career.bus = { category, test: dayBetween(busFrom) }
  }
  career.isProfessional = Boolean(career.lorry ?? career.bus) && age < 70 && random.chance(0.7)
  return career
}
