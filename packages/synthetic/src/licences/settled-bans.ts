import type { Disqualification, Endorsement } from '@despatch/domain/driver/driver-record'
import { formatDay, monthsLater } from '../calendar.ts'
import { banEndorsement } from './endorsements.ts'
import { drawBanCode } from './offence-mix.ts'
import { type DrawStanding, disqualified, endOf, valid } from './standing.ts'

/** The disqualification is over and the driver may drive again, after the time alone or after a test. */
export const servedDisqualification: DrawStanding = (random, today) => {
  const months = random.pick([1, 2, 3, 6, 6, 12, 12, 14, 16, 18])
  const start = monthsLater(today, -months) - 1 - random.below(850)
  const disqualification: Disqualification = { months, startDate: formatDay(start) }
  const type = random.pick([
    undefined,
    undefined,
    undefined,
    'Test passed',
    'Extended test passed',
  ] as const)
  if (type) disqualification.disqualificationType = type
  const ban = banEndorsement(random, { code: drawBanCode(random), start, disqualification })
  return valid(ban)
}

/** The court suspended it until the appeal is decided, so the driver may drive. */
export const disqualificationAppealed: DrawStanding = (random, today) => {
  const start = today - 10 - random.below(100)
  const disqualificationType = random.pick([
    'Appeal against Disqualification until Extended Test Pass',
    'Appeal against Disqualification until Test Pass',
  ] as const)
  const ban = banEndorsement(random, {
    code: drawBanCode(random),
    start,
    disqualification: { months: 24, startDate: formatDay(start), disqualificationType },
  })
  const suspended = formatDay(start + 1 + random.below(9))
  return valid({ ...ban, disqualificationSuspendedPendingAppealDate: suspended })
}

/** It was suspended for an appeal that failed, and is in force again. */
export const reimposedDisqualification: DrawStanding = (random, today) => {
  const start = today - 100 - random.below(100)
  const ban = banEndorsement(random, {
    code: drawBanCode(random),
    start,
    disqualification: { years: 2, startDate: formatDay(start) },
  })
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
  const ban = banEndorsement(random, {
    code: random.pick(['DR10', 'DR30', 'DG10']),
    start,
    disqualification: { years: 4, startDate: formatDay(start) },
  })
  return valid({ ...ban, disqualificationRemovalDate: formatDay(start + 732 + random.below(28)) })
}
