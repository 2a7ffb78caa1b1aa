import type { Disqualification, Endorsement } from '@despatch/domain/driver/driver-record'
import { findOffence, penaltyPointsExpiryDate } from '@despatch/domain/driver/offence-codes'
import { type Day, formatDay } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import { drawPointsCode } from './offence-mix.ts'

/** A driver with this many points would be disqualified. */
const pointsOfTotting = 12
/** Age of the oldest offence whose points still count on the record of a valid licence. */
const recentDays = 4 * 365

/**
 * Draws offences with points that are still on the record today, the newest first. `since` is the day of the first
 * drive.
 */
export function drawPointsEndorsements(random: Random, since: Day, today: Day): Endorsement[] {
  const days = Math.min(recentDays, today - since)
  if (days < 60) return []

  const count = random.chance(0.76) ? 1 : random.chance(0.75) ? 2 : 3
  const endorsements: Endorsement[] = []
  let points = 0
  for (let n = 0; n < count; n++) {
    const offence = today - 30 - random.below(days - 30)
    const endorsement = pointsEndorsement(random, { code: drawPointsCode(random), offence, today })
    points += endorsement.penaltyPoints ?? 0
    if (points >= pointsOfTotting) break
    endorsements.push(endorsement)
  }
  return endorsements.sort(newestFirst)
}

/** Draws one offence with penalty points, convicted at once (a fixed penalty) or some months later. */
export function pointsEndorsement(
  random: Random,
  { code, offence, today }: { code: string; offence: Day; today: Day },
): Endorsement {
  const isFixedPenalty = random.chance(0.5)
  const conviction = Math.min(today, offence + (isFixedPenalty ? 7 : 40) + random.below(90))
  const sentence = Math.min(today, conviction + (random.chance(0.8) ? 0 : random.below(28)))
  const [min, max] = findOffence(code)?.penaltyPoints ?? [3, 3]
  const endorsement = datedEndorsement({ code, offence, conviction, sentence, isBan: false })
  endorsement.penaltyPoints = random.chance(0.75) ? min : min + random.below(max - min + 1)
  return endorsement
}

/** Draws one offence with a disqualification from `start`, the day of the conviction. */
export function banEndorsement(
  random: Random,
  code: string,
  start: Day,
  disqualification: Disqualification,
): Endorsement {
  const offence = start - 30 - random.below(170)
  const dates = { offence, conviction: start, sentence: start }
  const endorsement = datedEndorsement({ code, ...dates, isBan: true })
  endorsement.disqualification = { ...disqualification, startDate: formatDay(start) }
  return endorsement
}

/** Compares endorsements by sentence, the newest first, as services that read records list them. */
function newestFirst(one: Endorsement, other: Endorsement): number {
  const [left = '', right = ''] = [one, other].map(
    (item) => item.sentenceDate ?? item.convictionDate,
  )
  return left < right ? 1 : left > right ? -1 : 0
}

function datedEndorsement(facts: {
  code: string
  offence: Day
  conviction: Day
  sentence: Day
  isBan: boolean
}): Endorsement {
  const offenceDate = formatDay(facts.offence)
  const convictionDate = formatDay(facts.conviction)
  const expiry = penaltyPointsExpiryDate({
    offenceCode: facts.code,
    offenceDate,
    convictionDate,
    disqualified: facts.isBan,
  })
  const endorsement: Endorsement = {
    offenceCode: facts.code,
    offenceDate,
    convictionDate,
    sentenceDate: formatDay(facts.sentence),
  }
  if (expiry !== undefined) endorsement.penaltyPointsExpiryDate = expiry
  return endorsement
}
