import { expect, test } from 'vitest'
import {
  commentOf,
  commentOfNotes,
  type Finding,
  findingsToReport,
  isRefused,
  note as noteOf,
} from './finding.ts'
import { numberOf } from './rules.ts'

const note: Finding = { rule: 'font-not-embedded', severity: 'note', detail: 'A font.' }
const late: Finding = { rule: 'address-empty', severity: 'refusal', detail: 'No address.' }
const early: Finding = { rule: 'pdf-encrypted', severity: 'refusal', detail: 'Encrypted.' }

test('notes do not refuse a letter, and are not in its comment', () => {
  expect([isRefused([note]), commentOf([note])]).toEqual([false, undefined])
  expect([isRefused([note, late]), commentOf([note, late])]).toEqual([true, 'No address.'])
})

test('the comment of an accepted letter contains the notes about the letter with their numbers', () => {
  const cut: Finding = { rule: 'address-cut', severity: 'note', detail: 'line1 is cut.' }
  const out: Finding = {
    rule: 'address-left-out',
    severity: 'note',
    detail: 'country is not printed.',
  }

  expect(commentOfNotes([])).toBeUndefined()
  expect(commentOfNotes([late])).toBeUndefined()
  expect(commentOfNotes([{ ...note, fileId: 'scan' }])).toBeUndefined()
  expect(commentOfNotes([cut, { ...note, fileId: 'scan' }, out])).toBe(
    'P503: country is not printed. P504: line1 is cut.',
  )
})

test('a comment with too many notes omits whole notes and counts them', () => {
  const notes = Array.from(
    { length: 9 },
    (): Finding => ({
      rule: 'address-cut',
      severity: 'note',
      detail: `${'x'.repeat(93)}.`,
    }),
  )

  const comment = commentOfNotes(notes)!

  expect(comment).toMatch(/^(P504: x{93}\. ){4}And 5 more\.$/)
  expect(comment.length).toBeLessThanOrEqual(500)
})

test.each([
  [494, 'P504: x{494}'],
  [495, 'And 1 more\\.'],
])('the only note, of %i characters, is the comment %s', (length, comment) => {
  expect(commentOfNotes([noteOf('address-cut', 'x'.repeat(length))])).toMatch(
    new RegExp(`^${comment}$`),
  )
})

test.each([
  [482, true],
  [483, false],
])('of two notes, the first of %i characters is kept with the count: %s', (length, isKept) => {
  const [first, second] = ['x'.repeat(length), 'y'.repeat(100)]
  const comment = isKept ? `P504: ${first} And 1 more.` : 'And 2 more.'

  expect(commentOfNotes([noteOf('address-cut', first), noteOf('address-cut', second)])).toBe(
    comment,
  )
})

test('a note about the letter as a whole does not refuse it', () => {
  const finding = noteOf('address-cut', 'line1 is cut.')

  expect(isRefused([finding])).toBe(false)
  expect(commentOfNotes([finding])).toBe('P504: line1 is cut.')
})

test('findings are sorted by rule, and within a rule in the order in which they were found', () => {
  const second = { ...early, fileId: 'second' }

  expect(findingsToReport([late, note, early, second])).toEqual([early, second, note, late])
})

test('a report with too many findings omits notes first', () => {
  const notes = Array.from({ length: 200 }, () => note)
  const refusals = Array.from({ length: 150 }, () => early)

  const told = findingsToReport([...notes, late, ...refusals])

  expect(told).toEqual([...refusals, ...notes.slice(0, 49), late])
  expect(findingsToReport(Array.from({ length: 300 }, () => late))).toHaveLength(200)
})

test('a report with too many notes omits notes about files first', () => {
  const ofFiles = Array.from({ length: 200 }, () => ({ ...note, fileId: 'scan' }))
  const ofLetter: Finding = { rule: 'address-cut', severity: 'note', detail: 'Cut.' }

  expect(findingsToReport([...ofFiles, ofLetter])).toEqual([...ofFiles.slice(1), ofLetter])
})

test('a rule of a later release has the number P?', () => {
  expect([numberOf('address-cut'), numberOf('not-known-yet')]).toEqual(['P504', 'P?'])
})

test.each([2, 200, 201])(
  'of %i notes of one rule, those that are reported stay in order',
  (count) => {
    const ofFiles = Array.from({ length: count - 1 }, (_, page) => ({
      ...note,
      fileId: 'scan',
      page,
    }))

    expect(findingsToReport([...ofFiles, note])).toEqual([...ofFiles.slice(0, 199), note])
  },
)

test('a refusal of a file is reported before any note', () => {
  const notes = Array.from({ length: 200 }, () => noteOf('address-cut', 'Cut.'))
  const ofFile = { ...early, fileId: 'scan' }

  expect(findingsToReport([...notes, ofFile])).toEqual([ofFile, ...notes.slice(1)])
})
