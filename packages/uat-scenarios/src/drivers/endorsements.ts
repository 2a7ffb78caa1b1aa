import type { Endorsement } from '@despatch/domain/driver/driver-record'
import { day } from '../day.ts'
import { type DriverScenario, driver } from '../driver-scenario.ts'

/** CLEAN: no endorsements. POINTS: endorsements without a disqualification. */
export const endorsementDrivers: readonly DriverScenario[] = [
  driver({ lastName: 'CLEAN', day: 1 }, 'No endorsements: an empty array', () => ({})),
  driver({ lastName: 'POINTS', day: 1 }, 'One endorsement: SP30, 3 points', (now) => ({
    endorsements: [speeding(now)],
  })),
  driver({ lastName: 'POINTS', day: 2 }, 'Three endorsements, 15 points in all', (now) => ({
    endorsements: [speeding(now), mobilePhone(now), noInsurance(now)],
  })),
  driver({ lastName: 'POINTS', day: 3 }, 'An endorsement whose points end tomorrow', (now) => ({
    endorsements: [
      {
        ...speeding(now),
        offenceDate: day(now, { years: -4, days: 1 }),
        convictionDate: day(now, { years: -4, months: 1, days: 1 }),
        sentenceDate: day(now, { years: -4, months: 1, days: 1 }),
        penaltyPointsExpiryDate: day(now, { days: 1 }),
      },
    ],
  })),
  driver({ lastName: 'POINTS', day: 4 }, 'An endorsement with nothing but its code', () => ({
    endorsements: [{ offenceCode: 'SP50' }],
  })),
]

/** SP30 of a year ago: exceeding the speed limit on a public road. */
export function speeding(now: Date): Endorsement {
  return {
    offenceCode: 'SP30',
    offenceDate: day(now, { years: -1 }),
    convictionDate: day(now, { months: -10 }),
    sentenceDate: day(now, { months: -10 }),
    penaltyPoints: 3,
    penaltyPointsExpiryDate: day(now, { years: 3 }),
  }
}

/** DR10 of half a year ago, without its sentence. */
export function drinkDriving(now: Date): Endorsement {
  return {
    offenceCode: 'DR10',
    offenceDate: day(now, { months: -6 }),
    convictionDate: day(now, { months: -3 }),
    sentenceDate: day(now, { months: -3 }),
  }
}

function mobilePhone(now: Date): Endorsement {
  return {
    offenceCode: 'CU80',
    offenceDate: day(now, { months: -20 }),
    convictionDate: day(now, { months: -18 }),
    sentenceDate: day(now, { months: -18 }),
    penaltyPoints: 6,
    penaltyPointsExpiryDate: day(now, { years: 4, months: -20 }),
  }
}

function noInsurance(now: Date): Endorsement {
  return {
    offenceCode: 'IN10',
    offenceDate: day(now, { years: -3 }),
    convictionDate: day(now, { months: -34 }),
    sentenceDate: day(now, { months: -34 }),
    penaltyPoints: 6,
    penaltyPointsExpiryDate: day(now, { years: 1 }),
  }
}
