import type { Rectangle } from './finding.ts'
import type { RuleId } from './rules.ts'

/** How a page is judged where a rule is about places: refuse, tell, or leave alone. */
export type Judgement = 'refuse' | 'note' | 'off'

/** Kept for what is printed on a page that somebody else made: by us, or by the factory. */
export type ReservedStrip = Rectangle & {
  pages: 'first' | 'every'
  keptFor: 'insertion-mark' | 'factory'
}

/** The letter rules of a contract, with their numbers. Lengths are millimetres from the top left of A4 portrait. */
export type RuleSet = {
  id: string
  /** By which a page may differ from 210 x 297 mm in each direction. */
  sizeTolerance: number
  /** By which a mark may stand outside a printable area, or within a place that is kept clear. */
  areaTolerance: number
  /** Where content may be on the first page of the letter; a mark outside all of them is outside the printable area. */
  firstPageAreas: readonly Rectangle[]
  /** The same for each other page. */
  otherPageAreas: readonly Rectangle[]
  /** The envelope's window: ours alone where we print the address on a page that somebody else made. */
  addressWindow: Rectangle
  /** Marks in them are told of as such, and not again as outside the printable area. */
  reservedStrips: readonly ReservedStrip[]
  /** A rule about places that is not named refuses. */
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
 * standard: what any sheet-fed printer can print. window-letter: the print areas of a large letter service, which keeps
 * strips around the window for the factory's marks. A rule set never changes once it is out: a new one gets a new date.
 */
export const ruleSets = {
  'standard-2026-11': {
    id: 'standard-2026-11',
    sizeTolerance: 2,
    areaTolerance: 0.5,
    firstPageAreas: [wholeWithin(5, 5)],
    otherPageAreas: [wholeWithin(5, 5)],
    addressWindow,
    // Every page, since any can be the front of a sheet.
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
