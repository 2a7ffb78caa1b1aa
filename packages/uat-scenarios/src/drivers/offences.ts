import type { Endorsement } from '@despatch/domain/driver/driver-record'
import { day } from '../day.ts'

/** Exceeding the speed limit on a public road, a year ago. */
export const speeding: Endorsement = {
  offenceCode: 'SP30',
  offenceDate: day({ years: -1 }),
  convictionDate: day({ months: -10 }),
  sentenceDate: day({ months: -10 }),
  penaltyPoints: 3,
  penaltyPointsExpiryDate: day({ years: 3 }),
}

export const mobilePhone: Endorsement = {
  offenceCode: 'CU80',
  offenceDate: day({ months: -20 }),
  convictionDate: day({ months: -18 }),
  sentenceDate: day({ months: -18 }),
  penaltyPoints: 6,
  penaltyPointsExpiryDate: day({ years: 4, months: -20 }),
}

export const noInsurance: Endorsement = {
  offenceCode: 'IN10',
  offenceDate: day({ years: -3 }),
  convictionDate: day({ months: -34 }),
  sentenceDate: day({ months: -34 }),
  penaltyPoints: 6,
  penaltyPointsExpiryDate: day({ years: 1 }),
}

/** Half a year ago, without its sentence. */
export const drinkDriving: Endorsement = {
  offenceCode: 'DR10',
  offenceDate: day({ months: -6 }),
  convictionDate: day({ months: -3 }),
  sentenceDate: day({ months: -3 }),
}
