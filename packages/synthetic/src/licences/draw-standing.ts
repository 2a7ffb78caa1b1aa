import type { Day } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { createWeighted } from '../chance/weighted.ts'
import {
  type DrawStanding,
  disqualificationAppealed,
  disqualifiedForLife,
  disqualifiedUntil,
  pendingSentence,
  reimposedDisqualification,
  removedDisqualification,
  type Standing,
  servedDisqualification,
  shortlyDisqualified,
  untilExtendedTestPassed,
  untilTestPassed,
} from './bans.ts'
import type { Career } from './career.ts'
import { drawPointsEndorsements } from './endorsements.ts'
import type { Person } from './person.ts'
import { drawRevocation } from './revocations.ts'

/** Youngest age with a disqualification: those on record go back more than 4 years, and nobody drives before 17. */
const bannedFromAge = 22

/** Weights per 10,000 drivers who are old enough. Undefined: no disqualification. */
const drawBan = createWeighted<DrawStanding | undefined>([
  [70, disqualifiedUntil],
  [12, shortlyDisqualified],
  [2, disqualifiedForLife],
  [4, pendingSentence],
  [13, untilTestPassed],
  [9, untilExtendedTestPassed],
  [75, servedDisqualification],
  [4, disqualificationAppealed],
  [3, reimposedDisqualification],
  [3, removedDisqualification],
  [9805, undefined],
])

/** Weights per 10,000 drivers without a disqualification. */
const drawLicence = createWeighted<Standing['licence']>([
  [9702, { status: 'Valid' }],
  [45, { status: 'Valid', statusQualifier: 'Photo licence invitation sent' }],
  [3, { status: 'Valid', statusQualifier: 'For re-assessment only' }],
  [60, { status: 'Revoked' }],
  [60, { status: 'Surrendered' }],
  [70, { status: 'Exchanged' }],
])

const hasPoints = 0.067
/** Share of drivers from 70 on whose licence has expired, and share of provisional licences that were refused. */
const ranOut = 0.08
const refused = 0.012

/** Draws the state of a driver's licence today, with every endorsement still on the record. */
export function drawStanding(
  random: Random,
  { age }: Person,
  { carTest, motorbike }: Career,
  today: Day,
): Standing {
  const ban = drawBan(random)
  if (ban && age >= bannedFromAge) return ban(random, today)
  const revocation = drawRevocation(random, carTest, today)
  if (revocation) return revocation

  const firstTest = Math.min(carTest ?? today, motorbike?.test ?? today)
  const endorsements = random.chance(hasPoints)
    ? drawPointsEndorsements(random, firstTest, today)
    : []
  const hasRunOut = random.chance(ranOut) && age >= 70
  const isRefused = random.chance(refused) && carTest === undefined
  const licence = drawLicence(random)
  if (hasRunOut) return { licence: { status: 'Expired' }, driver: {}, endorsements }
  if (isRefused) return { licence: { status: 'Refused' }, driver: {}, endorsements }
  return { licence: { ...licence }, driver: {}, endorsements }
}
