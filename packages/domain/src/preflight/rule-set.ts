import type { Rectangle } from './finding.ts'
import type { RuleId } from './rules.ts'

/** The consequence of breaking a rule about places: refuse, note, or ignore. */
export type Judgement = 'refuse' | 'note' | 'off'

/** A strip reserved for marks that Despatch or the factory prints on a page that somebody else made. */
export type ReservedStrip = Rectangle & {
  pages: 'first' | 'every'
  keptFor: 'insertion-mark' | 'factory'
}

/** The letter rules of a contract, with their numbers. Lengths are in millimetres, from the top left of A4 portrait. */
export type RuleSet = {
  id: string
  /** How much a page may differ from 210 x 297 mm, in each direction. */
  sizeTolerance: number
  /** How far a mark may extend outside a printable area, or into a reserved place. */
  areaTolerance: number
  /** Where content may be on the first page of the letter. A mark outside all of them is outside the printable area. */
  firstPageAreas: readonly Rectangle[]
  /** As `firstPageAreas`, for every other page. */
  otherPageAreas: readonly Rectangle[]
  /** The envelope's window. It is reserved for Despatch if it prints the address on a page that somebody else made. */
  addressWindow: Rectangle
  /** Marks in them are reported as such, and not also as outside the printable area. */
  reservedStrips: readonly ReservedStrip[]
  /** A rule about places that is not listed refuses. */
  judgements: Readonly<Partial<Record<RuleId, Judgement>>>
}

const wholeWithin = (side: number, end: number): Rectangle => ({
  x: side,
  y: end,
  width: 210 - 2 * side,
  height: 297 - 2 * end,
})

const addressWindow: Rectangle = { x: 24.6, y: 39.5, width: 95.4, height: 26.8 }

const byFactory = { pages: 'first', keptFor: 'factory' } as const

/**
 * standard: what any sheet-fed printer can print. window-letter: the print areas of a large letter service, which
 * reserves strips around the window for the factory's marks. A published rule set never changes: a new one gets a new
 * date.
 */
export const ruleSets = {
  'standard-2026-11': {
    id: 'standard-2026-11',
    sizeTolerance: 2,
    areaTolerance: 0.5,
    firstPageAreas: [wholeWithin(5, 5)],
    otherPageAreas: [wholeWithin(5, 5)],
    addressWindow,
    // Every page, because any page can be the front of a sheet.
    reservedStrips: [
      { x: 5, y: 277, width: 10, height: 15, pages: 'every', keptFor: 'insertion-mark' },
    ],
    judgements: { 'font-not-embedded': 'note' },
  },
  'window-letter-2026-11': {
    id: 'window-letter-2026-11',
    sizeTolerance: 2,
    areaTolerance: 1,
    firstPageAreas: [
      { x: 15, y: 95, width: 180, height: 197 },
      { x: 15, y: 5, width: 110, height: 25 },
      { x: 125, y: 5, width: 70, height: 90 },
      addressWindow,
    ],
    otherPageAreas: [wholeWithin(15, 5)],
    addressWindow,
    reservedStrips: [
      { x: 15, y: 30, width: 9.6, height: 65, ...byFactory },
      { x: 15, y: 30, width: 110, height: 9.5, ...byFactory },
      { x: 15, y: 66.3, width: 110, height: 28.7, ...byFactory },
      { x: 120, y: 30, width: 5, height: 65, ...byFactory },
    ],
    judgements: { 'font-not-embedded': 'note' },
  },
} as const satisfies Record<string, RuleSet>

export type RuleSetId = keyof typeof ruleSets
export const ruleSetIds = Object.keys(ruleSets) as RuleSetId[]
export const newestRuleSetId: RuleSetId = 'standard-2026-11'
