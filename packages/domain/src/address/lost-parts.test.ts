import { expect, test } from 'vitest'
import { findLostParts } from './lost-parts.ts'

/** The parts a, b and c have these texts. Each is `cut`, `out`, or null: not lost. */
test.each<[rule: string, texts: string[], lines: string[], found: (string | null)[]]>([
  ['a printed part is not lost, in any case', ['Mill Lane'], ['1 MILL LANE'], [null]],
  ['commas are no words', ['Mill, Lane,'], ['Mill Lane'], [null]],
  ['a word that is printed once counts once', ['Mill', 'Mill'], ['Mill'], [null, 'out']],
  ['a longer part comes first', ['Mill', 'Mill Lane'], ['Mill Lane'], ['out', null]],
  ['a part that is whole comes first', ['A B C', 'B'], ['B', 'A C'], ['cut', null]],
  ['words may be on several lines', ['Elm 1A', 'Hill'], ['Elm', 'Hill', '1A'], [null, null]],
  ['the beginning of a part belongs to it', ['A B C', 'B D'], ['A B'], ['cut', 'out']],
  ['a part without its beginning is not cut', ['Mill Lane'], ['Lane'], ['out']],
  [
    'a long word may be cut to 20 characters',
    [`V${'W'.repeat(29)}`],
    [`V${'W'.repeat(19)}`],
    ['cut'],
  ],
  ['but not to 19', [`V${'W'.repeat(29)}`], [`V${'W'.repeat(18)}`], ['out']],
  ['another long word is no cut one', ['V'.repeat(30)], ['W'.repeat(20)], ['out']],
  [
    'a cut word may have another after it',
    ['W'.repeat(30)],
    ['W'.repeat(25), 'V'.repeat(25)],
    ['cut'],
  ],
])('%s', (_, texts, lines, found) => {
  const parts = texts.map((text, index) => ({ field: 'abc'.charAt(index), text }))
  const lost = new Map(findLostParts(parts, lines).map(({ field, isCut }) => [field, isCut]))

  const becomes = parts.map(({ field }) => lost.get(field))
  expect(becomes.map((isCut) => (isCut === undefined ? null : isCut ? 'cut' : 'out'))).toEqual(
    found,
  )
})
