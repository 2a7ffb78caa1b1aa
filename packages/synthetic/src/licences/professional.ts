import type { Cpc, TachoCard } from '@despatch/domain/driver/driver-record'
import { anniversary, type Day, formatDay } from '../calendar.ts'
import type { Random } from '../chance/random.ts'
import type { Career } from './career.ts'

const certificateYears = 5
const cardYears = 5
const isNationalShare = 0.04
const hasCard = 0.8
const hasFormerCard = 0.15

/** Draws the certificates of professional drivers of lorries and buses, valid for 5 years at a time. */
export function drawCpcs(random: Random, { lorry, bus }: Career, today: Day): Cpc[] {
  const drawValidTo = (): string => formatDay(today - 200 + random.below(certificateYears * 365))
  const cpc: Cpc = {}
  if (lorry) cpc.lgvValidTo = drawValidTo()
  if (bus) cpc.pcvValidTo = drawValidTo()
  cpc.national = random.chance(isNationalShare)
  return [cpc]
}

/** Draws the driver's tachograph cards, the newest first. Some drivers have none. */
export function drawTachoCards(random: Random, today: Day): TachoCard[] {
  if (!random.chance(hasCard)) return []

  const start = today - random.below(cardYears * 365)
  const digits = String(random.below(10 ** 9)).padStart(9, '0')
  const renewals = random.below(4)
  const cards = [card(digits, renewals, start)]
  if (renewals > 0 && random.chance(hasFormerCard)) {
    cards.push(card(digits, renewals - 1, anniversary(start, -cardYears)))
  }
  return cards
}

/** 16 characters. The last three count cards held at once, replacements and renewals. */
function card(digits: string, renewals: number, start: Day): TachoCard {
  return {
    cardNumber: `DB00${digits}00${renewals}`,
    cardStatus: 'DISPATCHED',
    cardStartOfValidityDate: formatDay(start),
    cardExpiryDate: formatDay(anniversary(start, cardYears) - 1),
  }
}
