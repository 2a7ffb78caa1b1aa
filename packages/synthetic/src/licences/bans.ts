import type {
  Disqualification,
  Driver,
  Endorsement,
  Licence,
} from '@despatch/domain/driver/driver-record'
import type { LicenceStatusQualifier } from '@despatch/domain/driver/values'
import { type Day, formatDay, monthsLater } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { banEndorsement } from './endorsements.ts'
import { drawBanCode, extendedTestCodes, lifeBanCodes, shortBanCodes } from './offence-mix.ts'

/** The effects of a disqualification on the record. */
export type Standing = {
  licence: Omit<Licence, 'type'>
  driver: Pick<Driver, 'disqualifiedForLife' | 'disqualifiedPendingSentence' | 'disqualifiedUntil'>
  endorsements: Endorsement[]
}

/** Draws one kind of standing, as of `today`. */
export type DrawStanding = (random: Random, today: Day) => Standing

/** The parts of the length of a disqualification. */
type Length = Pick<Disqualification, 'years' | 'months' | 'days'>

/** Disqualified for months, years or a mix of both and days, and not yet allowed to drive. */
export const disqualifiedUntil: DrawStanding = (random, today) => {
  const length = drawLength(random)
  const start = today - random.below(daysAtLeast(length))
  const ban = banEndorsement(random, drawBanCode(random), start, length)
  return disqualified(ban, { disqualifiedUntil: formatDay(endOf(start, length)) })
}

/** Less than 56 days: the licence is not returned, and no new one is required. */
export const shortlyDisqualified: DrawStanding = (random, today) => {
  const days = random.pick([7, 14, 21, 28, 42, 55])
  const start = today - random.below(days)
  const ban = banEndorsement(random, random.pick(shortBanCodes), start, { days })
  const until = { disqualifiedUntil: formatDay(endOf(start, { days })) }
  return disqualified(ban, until, 'Short period disqualification')
}

export const disqualifiedForLife: DrawStanding = (random, today) => {
  const start = today - random.below(1200)
  const ban = banEndorsement(random, random.pick(lifeBanCodes), start, { forLife: true })
  return disqualified(ban, { disqualifiedForLife: true }, 'For life')
}

/** Convicted, and disqualified until the court has decided the sentence. */
export const pendingSentence: DrawStanding = (random, today) => {
  const start = today - random.below(80)
  const pending = { disqualifiedPendingSentence: true } as const
  const { sentenceDate: _, ...ban } = banEndorsement(random, drawBanCode(random), start, pending)
  return disqualified({ ...ban, ...pending }, pending, 'Pending sentence')
}

export const untilTestPassed: DrawStanding = (random, today) => {
  const disqualificationType = 'Disqualified until Test Pass'
  const { ban, driver } = drawUntilTest(random, today, drawBanCode(random), disqualificationType)
  return disqualified(ban, driver, 'Until test passed')
}

export const untilExtendedTestPassed: DrawStanding = (random, today) => {
  const disqualificationType = 'Disqualified until Extended Test Pass'
  const code = random.pick(extendedTestCodes)
  const { ban, driver } = drawUntilTest(random, today, code, disqualificationType)
  return disqualified(ban, driver, 'Until extended test passed')
}

/** Some have served the time and must still pass the test. */
function drawUntilTest(
  random: Random,
  today: Day,
  code: string,
  disqualificationType: NonNullable<Disqualification['disqualificationType']>,
) {
  const length = { months: random.pick([12, 18, 20]) }
  const start = today - random.below(900)
  const end = endOf(start, length)
  return {
    ban: banEndorsement(random, code, start, { ...length, disqualificationType }),
    driver: end > today ? { disqualifiedUntil: formatDay(end) } : {},
  }
}

/** The disqualification is over and the driver may drive again, after the time alone or after a test. */
export const servedDisqualification: DrawStanding = (random, today) => {
  const months = random.pick([1, 2, 3, 6, 6, 12, 12, 14, 16, 18])
  const start = monthsLater(today, -months) - 1 - random.below(850)
  const disqualificationType = random.pick([
    undefined,
    undefined,
    undefined,
    'Test passed',
    'Extended test passed',
  ] as const)
  const length = { months, ...(disqualificationType && { disqualificationType }) }
  return valid(banEndorsement(random, drawBanCode(random), start, length))
}

/** The court suspended it until the appeal is decided, so the driver may drive. */
export const disqualificationAppealed: DrawStanding = (random, today) => {
  const start = today - 10 - random.below(100)
  const disqualificationType = random.pick([
    'Appeal against Disqualification until Extended Test Pass',
    'Appeal against Disqualification until Test Pass',
  ] as const)
  const length = { months: 24, disqualificationType }
  const ban = banEndorsement(random, drawBanCode(random), start, length)
  const suspended = formatDay(start + 1 + random.below(9))
  return valid({ ...ban, disqualificationSuspendedPendingAppealDate: suspended })
}

/** It was suspended for an appeal that failed, and is in force again. */
export const reimposedDisqualification: DrawStanding = (random, today) => {
  const start = today - 100 - random.below(100)
  const ban = banEndorsement(random, drawBanCode(random), start, { years: 2 })
  const suspended = start + 3 + random.below(10)
  const reimposed = suspended + 20 + random.below(50)
  const until = endOf(start, { years: 2 }) + reimposed - suspended
  const endorsement: Endorsement = {
    ...ban,
    disqualificationSuspendedPendingAppealDate: formatDay(suspended),
    disqualificationReimposedDate: formatDay(reimposed),
  }
  return disqualified(endorsement, { disqualifiedUntil: formatDay(until) })
}

/** A court ended it early, after at least 2 years. */
export const removedDisqualification: DrawStanding = (random, today) => {
  const start = today - 760 - random.below(500)
  const ban = banEndorsement(random, random.pick(['DR10', 'DR30', 'DG10']), start, { years: 4 })
  return valid({ ...ban, disqualificationRemovalDate: formatDay(start + 732 + random.below(28)) })
}

export function valid(endorsement: Endorsement): Standing {
  return { licence: { status: 'Valid' }, driver: {}, endorsements: [endorsement] }
}

function disqualified(
  ban: Endorsement,
  driver: Standing['driver'],
  statusQualifier?: LicenceStatusQualifier,
): Standing {
  const licence = { status: 'Disqualified', ...(statusQualifier && { statusQualifier }) } as const
  return { licence, driver, endorsements: [ban] }
}

function drawLength(random: Random): Length {
  const kind = random.unit()
  if (kind < 0.6) return { months: random.pick([2, 3, 6, 6, 12, 12, 14, 16, 17, 18, 20, 22, 28]) }
  if (kind < 0.85) return { years: 1 + random.below(3) }
  return { years: 1, months: 1 + random.below(11), days: 1 + random.below(27) }
}

function daysAtLeast({ years = 0, months = 0, days = 0 }: Length): number {
  return years * 365 + months * 28 + days
}

function endOf(start: Day, { years = 0, months = 0, days = 0 }: Length): Day {
  return monthsLater(start, years * 12 + months) + days
}
