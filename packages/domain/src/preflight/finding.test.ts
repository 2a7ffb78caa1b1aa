import { expect, test } from 'vitest'
import { commentOf, commentOfNotes, type Finding, findingsToReport, isRefused } from './finding.ts'
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
