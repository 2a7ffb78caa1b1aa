import { expect, test } from 'vitest'
import { commentOf, type Finding, findingsToReport, isRefused } from './finding.ts'
import { numberOf } from './rules.ts'

const note: Finding = { rule: 'font-not-embedded', severity: 'note', detail: 'A font.' }
const late: Finding = { rule: 'address-empty', severity: 'refusal', detail: 'No address.' }
const early: Finding = { rule: 'pdf-encrypted', severity: 'refusal', detail: 'Encrypted.' }

test('notes alone do not refuse a letter, and say nothing in its comment', () => {
  expect([isRefused([note]), commentOf([note])]).toEqual([false, undefined])
  expect([isRefused([note, late]), commentOf([note, late])]).toEqual([true, 'No address.'])
})

test('findings are sorted by rule, and within a rule in the order in which they were found', () => {
  const second = { ...early, fileId: 'second' }

  expect(findingsToReport([late, note, early, second])).toEqual([early, second, note, late])
})

test('of too many findings, notes are left out first', () => {
  const notes = Array.from({ length: 200 }, () => note)
  const refusals = Array.from({ length: 150 }, () => early)

  const told = findingsToReport([...notes, late, ...refusals])

  expect(told).toEqual([...refusals, ...notes.slice(0, 49), late])
  expect(findingsToReport(Array.from({ length: 300 }, () => late))).toHaveLength(200)
})

test('of too many notes, those about files are left out first', () => {
  const ofFiles = Array.from({ length: 200 }, () => ({ ...note, fileId: 'scan' }))
  const ofLetter: Finding = { rule: 'address-cut', severity: 'note', detail: 'Cut.' }

  expect(findingsToReport([...ofFiles, ofLetter])).toEqual([...ofFiles.slice(1), ofLetter])
})

test('a rule of a later release has a number too', () => {
  expect([numberOf('address-cut'), numberOf('not-known-yet')]).toEqual(['P504', 'P?'])
})
