import type { Token } from '@despatch/domain/driver/driver-record'
import { anniversary, type Day, formatDay } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import type { Person } from './person.ts'

const cardYears = 10
/** Share of cards that have expired although the licence has not. */
const hasRunOut = 0.025
/** Share of drivers licensed before photocards who still have a paper licence. */
const isOnPaper = 0.03
const cardlessFromAge = 44

/** Draws the photocard: valid for 10 years, never beyond the entitlement for cars, with a new number for each card. */
export function drawToken(
  random: Random,
  { person, until, today }: { person: Person; until: Day; today: Day },
): Token {
  const isYoung = person.age < cardlessFromAge
  if (random.chance(isOnPaper) && !isYoung && person.age < 70) return {}

  const asOf = Math.min(today, until)
  const licensedDays = Math.max(1, asOf - anniversary(person.birth, 17))
  const hasOldCard = random.chance(hasRunOut) && licensedDays > (cardYears + 2) * 365
  const from = hasOldCard
    ? anniversary(asOf, -cardYears) - 1 - random.below(500)
    : asOf - random.below(Math.min(licensedDays, cardYears * 365))
  const to = Math.min(anniversary(from, cardYears) - 1, until)
  const cards = 1 + Math.floor(licensedDays / 365 / cardYears)
  const issue = Math.min(99, cards + Math.floor(random.unit() ** 2 * 12))
  return {
    validFromDate: formatDay(from),
    validToDate: formatDay(to),
    issueNumber: String(issue).padStart(2, '0'),
  }
}
