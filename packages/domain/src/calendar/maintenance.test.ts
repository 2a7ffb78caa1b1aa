import { expect, test } from 'vitest'
import { isWhollyInMaintenance, maintenanceAt } from './maintenance.ts'

const windows = [
  { from: '2026-03-02T00:00:00Z', until: '2026-03-02T12:00:00Z', reason: 'first half' },
  { from: '2026-03-02T12:00:00Z', until: '2026-03-03T00:00:00Z', reason: 'second half' },
  { from: '2026-03-04T00:00:00Z', until: '2026-03-04T23:00:00Z', reason: 'nearly a day' },
  { from: '2026-03-06T06:00:00Z', until: '2026-03-06T18:00:00Z', reason: 'later' },
  { from: '2026-03-06T07:00:00Z', until: '2026-03-06T08:00:00Z', reason: 'within' },
  { from: '2026-03-06T00:00:00Z', until: '2026-03-06T06:30:00Z', reason: 'earlier' },
]

const moments: [at: string, reason: string | undefined][] = [
  ['2026-03-01T23:59:59.999Z', undefined],
  ['2026-03-02T00:00:00Z', 'first half'],
  ['2026-03-02T11:59:59.999Z', 'first half'],
  ['2026-03-02T12:00:00Z', 'second half'],
  ['2026-03-03T00:00:00Z', undefined],
]

test.each(moments)('at %s: %s', (at, reason) => {
  expect(maintenanceAt(windows, new Date(at))?.reason).toBe(reason)
})

const spans: [from: string, until: string, isWhole: boolean][] = [
  ['2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z', true],
  ['2026-03-02T06:00:00Z', '2026-03-02T18:00:00Z', true],
  ['2026-03-02T00:00:00Z', '2026-03-03T00:00:01Z', false],
  ['2026-03-04T00:00:00Z', '2026-03-05T00:00:00Z', false],
  ['2026-03-01T23:00:00Z', '2026-03-02T12:00:00Z', false],
  ['2026-03-02T23:59:59.999Z', '2026-03-03T00:00:00Z', true],
  ['2026-03-03T00:00:00Z', '2026-03-03T00:00:01Z', false],
  ['2026-03-06T00:00:00Z', '2026-03-06T18:00:00Z', true],
  ['2026-03-06T00:00:00Z', '2026-03-06T18:00:01Z', false],
]

test.each(spans)('from %s until %s is wholly in maintenance: %s', (from, until, isWhole) => {
  const span = { from: new Date(from), until: new Date(until) }

  expect(isWhollyInMaintenance(windows, span)).toBe(isWhole)
})
