import { expect, test } from 'vitest'
import { duration, fromLondon, inFull, inShort, moment, relative, zone } from './format.ts'

test.for([
  ['2026-01-31T09:00:00Z', '2026-01-31 09:00:00', 'GMT'],
  ['2026-06-30T23:30:05.999Z', '2026-07-01 00:30:05', 'BST'],
  ['2026-10-25T00:59:59Z', '2026-10-25 01:59:59', 'BST'],
  ['2026-10-25T01:00:00Z', '2026-10-25 01:00:00', 'GMT'],
  ['2026-12-31T00:00:00Z', '2026-12-31 00:00:00', 'GMT'],
] as const)('%s is %s %s in the console, wherever its reader is', ([at, shown, clocks]) => {
  expect(moment(at)).toBe(shown)
  expect(zone(at)).toBe(clocks)
})

test.for([undefined, null, '', 'soon'])('what is no moment, such as %s, is a dash', (at) => {
  expect(moment(at)).toBe('–')
})

test.for([
  ['2026-01-31T09:00', '2026-01-31T09:00:00.000Z'],
  ['2026-07-01T00:30', '2026-06-30T23:30:00.000Z'],
  ['2026-10-25T01:30', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T02:00', '2026-10-25T02:00:00.000Z'],
  ['2026-03-29T02:00', '2026-03-29T01:00:00.000Z'],
] as const)('%s in London is %s', ([local, at]) => {
  expect(fromLondon(local)).toBe(at)
})

test.for([
  ['2026-11-24T14:31:00Z', '14:31'],
  ['2026-11-23T09:14:00Z', 'Mon 09:14'],
  ['2026-10-12T09:14:00Z', '12 Oct'],
  ['2025-10-12T09:14:00Z', '12 Oct 2025'],
] as const)('at noon of 24 November 2026, %s is %s', ([at, shown]) => {
  expect(inShort(at, new Date('2026-11-24T12:00:00Z'))).toBe(shown)
})

test('a time in full has its day and zone, and by its distance', () => {
  const now = new Date('2026-07-01T12:00:00Z')

  expect(inFull('2026-07-01T11:57:00Z')).toBe('Wed 1 Jul 2026, 12:57:00 BST')
  expect(relative('2026-07-01T11:57:00Z', now)).toBe('3 min ago')
  expect(relative('2026-07-01T14:00:00Z', now)).toBe('in 2 h')
})

test.for([
  [118, '118 ms'],
  [2_340, '2.3 s'],
  [59_000, '59 s'],
  [6_660_000, '1 h 51 min'],
  [104_400_000, '1 d 5 h'],
] as const)('%i ms are %s', ([ms, shown]) => {
  expect(duration(ms)).toBe(shown)
})
