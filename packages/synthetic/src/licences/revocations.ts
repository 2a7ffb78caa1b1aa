import type { Disqualification, Endorsement } from '@despatch/domain/driver/driver-record'
import type { DisqualificationType } from '@despatch/domain/driver/values'
import { type Day, formatDay, parseDay } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { createWeighted } from '../chance/weighted.ts'
import { type Standing, valid } from './bans.ts'
import { pointsEndorsement } from './endorsements.ts'

/** Draws the state after a revocation, for a driver who passed the test on a day. */
type DrawRevocation = (random: Random, test: Day, today: Day) => Standing

/** Six points within two years of the test revoke the licence. */
const newDriverDays = 700
/** Long enough ago for offence, conviction and a new test, and recent enough for the offence to be on the record. */
const testDaysAgo = { min: 640, max: 1400 }

const revokedUntilTestPassed: DrawRevocation = (random, test, today) => ({
  licence: { status: 'Revoked', statusQualifier: 'Until test passed' },
  driver: {},
  endorsements: [revocationOf(random, { test, by: today, type: 'Revoked until Test Pass' })],
})

/** The driver has passed the test again. */
const revokedTestPassed: DrawRevocation = (random, test, today) =>
  valid(revocationOf(random, { test, by: today - 400, type: 'Revoked test passed' }))

/** The revocation is suspended until the appeal is decided, so the driver may drive. */
const revocationAppealed: DrawRevocation = (random, test, today) => {
  const type = 'Appeal against Revocation until Test Pass'
  const revocation = revocationOf(random, { test, by: today - 30, type })
  const { sentenceDate = '' } = revocation
  const suspended = parseDay(sentenceDate, 'sentenceDate') + 5 + random.below(20)
  return valid({ ...revocation, disqualificationSuspendedPendingAppealDate: formatDay(suspended) })
}

const drawKind = createWeighted<DrawRevocation | undefined>([
  [35, revokedUntilTestPassed],
  [30, revokedTestPassed],
  [8, revocationAppealed],
  [927, undefined],
])

/** Draws the state after a revocation for a driver who passed in recent years. Undefined for most drivers. */
export function drawRevocation(
  random: Random,
  carTest: Day | undefined,
  today: Day,
): Standing | undefined {
  const draw = drawKind(random)
  if (!draw || carTest === undefined) return undefined
  const daysAgo = today - carTest
  if (daysAgo < testDaysAgo.min || daysAgo > testDaysAgo.max) return undefined
  return draw(random, carTest, today)
}

/** Points caused the revocation, so it stays on the record as long as they do. */
function revocationOf(
  random: Random,
  { test, by, type }: { test: Day; by: Day; type: DisqualificationType },
): Endorsement {
  const days = Math.min(newDriverDays, by - 200 - test)
  const points = pointsEndorsement(random, {
    code: random.pick(['IN10', 'MS90']),
    offence: test + 14 + random.below(days - 14),
    today: by,
  })
  const disqualification: Disqualification = { disqualificationType: type }
  if (points.convictionDate) disqualification.startDate = points.convictionDate
  return { ...points, disqualification }
}
