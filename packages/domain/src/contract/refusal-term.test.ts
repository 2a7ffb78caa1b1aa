import { expect, test } from 'vitest'
import { isRefusalTerm, refusesAt, refusesFrom } from './refusal-term.ts'

const lastMoment = new Date('2027-06-30T22:59:59Z')
const firstMoment = new Date('2027-06-30T23:00:00Z')

test.each([
  ['report', lastMoment, false, undefined],
  ['refuse', lastMoment, true, undefined],
  ['2027-07-01', lastMoment, false, '2027-07-01'],
  ['2027-07-01', firstMoment, true, undefined],
  ['2020-01-01', lastMoment, true, undefined],
])('the term %s at %s refuses %s, later from %s', (term, now, refuses, from) => {
  expect([refusesAt(term, now), refusesFrom(term, now)]).toEqual([refuses, from])
})

test.each([
  ['report', true],
  ['refuse', true],
  ['2027-07-01', true],
  ['2027-02-30', false],
  ['2027-13-01', false],
  ['1 July 2027', false],
  ['2027-07-01T00:00:00.000Z', false],
  ['+012027-07-01', false],
  ['', false],
])('%s is a valid refusal term: %s', (text, isTerm) => {
  expect(isRefusalTerm(text)).toBe(isTerm)
})
