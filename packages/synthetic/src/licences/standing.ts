import type {
  Disqualification,
  Driver,
  Endorsement,
  Licence,
} from '@despatch/domain/driver/driver-record'
import type { LicenceStatusQualifier } from '@despatch/domain/driver/values'
import { type Day, monthsLater } from '../calendar.ts'
import type { Random } from '../chance/random.ts'

/** The effects of a disqualification on the record. */
export type Standing = {
  licence: Omit<Licence, 'type'>
  driver: Pick<Driver, 'disqualifiedForLife' | 'disqualifiedPendingSentence' | 'disqualifiedUntil'>
  endorsements: Endorsement[]
}

/** Draws one kind of standing, as of `today`. */
export type DrawStanding = (random: Random, today: Day) => Standing

/** The parts of the length of a disqualification. */
export type Length = Pick<Disqualification, 'years' | 'months' | 'days'>

export function endOf(start: Day, { years = 0, months = 0, days = 0 }: Length): Day {
  return monthsLater(start, years * 12 + months) + days
}

export function disqualified(
  ban: Endorsement,
  driver: Standing['driver'],
  statusQualifier?: LicenceStatusQualifier,
): Standing {
  const licence: Standing['licence'] = { status: 'Disqualified' }
  if (statusQualifier) licence.statusQualifier = statusQualifier
  return { licence, driver, endorsements: [ban] }
}

export function valid(endorsement: Endorsement): Standing {
  return { licence: { status: 'Valid' }, driver: {}, endorsements: [endorsement] }
}
