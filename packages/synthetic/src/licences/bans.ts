import { type Day, formatDay } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { banEndorsement } from './endorsements.ts'
import { drawBanCode, extendedTestCodes, lifeBanCodes, shortBanCodes } from './offence-mix.ts'
import { type DrawStanding, disqualified, endOf, type Length } from './standing.ts'

/** Disqualified for months, years or a mix of both and days, and not yet allowed to drive. */
export const disqualifiedUntil: DrawStanding = (random, today) => {
  const length = drawLength(random)
  const start = today - random.below(daysAtLeast(length))
  const ban = banEndorsement(random, {
    code: drawBanCode(random),
    start,
    disqualification: { ...length, startDate: formatDay(start) },
  })
  return disqualified(ban, { disqualifiedUntil: formatDay(endOf(start, length)) })
}

/** Less than 56 days: the licence is not returned, and no new one is required. */
export const shortlyDisqualified: DrawStanding = (random, today) => {
  const days = random.pick([7, 14, 21, 28, 42, 55])
  const start = today - random.below(days)
  const ban = banEndorsement(random, {
    code: random.pick(shortBanCodes),
    start,
    disqualification: { days, startDate: formatDay(start) },
  })
  const until = { disqualifiedUntil: formatDay(endOf(start, { days })) }
  return disqualified(ban, until, 'Short period disqualification')
}

export const disqualifiedForLife: DrawStanding = (random, today) => {
  const start = today - random.below(1200)
  const ban = banEndorsement(random, {
    code: random.pick(lifeBanCodes),
    start,
    disqualification: { forLife: true, startDate: formatDay(start) },
  })
  return disqualified(ban, { disqualifiedForLife: true }, 'For life')
}

/** Convicted, and disqualified until the court has decided the sentence. */
export const pendingSentence: DrawStanding = (random, today) => {
  const start = today - random.below(80)
  const { sentenceDate: _, ...ban } = banEndorsement(random, {
    code: drawBanCode(random),
    start,
    disqualification: { disqualifiedPendingSentence: true, startDate: formatDay(start) },
  })
  const endorsement = { ...ban, disqualifiedPendingSentence: true }
  return disqualified(endorsement, { disqualifiedPendingSentence: true }, 'Pending sentence')
}

export const untilTestPassed: DrawStanding = (random, today) => {
  const { ban, driver } = drawUntilTest(random, today, drawBanCode(random))
  const type = { disqualificationType: 'Disqualified until Test Pass' } as const
  const endorsement = { ...ban, disqualification: { ...ban.disqualification, ...type } }
  return disqualified(endorsement, driver, 'Until test passed')
}

export const untilExtendedTestPassed: DrawStanding = (random, today) => {
  const { ban, driver } = drawUntilTest(random, today, random.pick(extendedTestCodes))
  const type = { disqualificationType: 'Disqualified until Extended Test Pass' } as const
  const endorsement = { ...ban, disqualification: { ...ban.disqualification, ...type } }
  return disqualified(endorsement, driver, 'Until extended test passed')
}

/** Some have served the time and must still pass the test. */
function drawUntilTest(random: Random, today: Day, code: string) {
  const length = { months: random.pick([12, 18, 20]) }
  const start = today - random.below(900)
  const disqualification = { ...length, startDate: formatDay(start) }
  const end = endOf(start, length)
  return {
    ban: banEndorsement(random, { code, start, disqualification }),
    driver: end > today ? { disqualifiedUntil: formatDay(end) } : {},
  }
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
