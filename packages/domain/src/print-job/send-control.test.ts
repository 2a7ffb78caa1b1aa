import { describe, expect, test } from 'vitest'
import { isHeldByOperator, notBeforeRange, planSending, type SendControl } from './send-control.ts'

const freely = { holdForApproval: false }

describe('planSending', () => {
  test.each<[string, SendControl, string | null]>([
    ['nothing asked for', {}, null],
    ['a day in winter', { notBefore: '2026-01-15' }, '2026-01-15T00:00:00.000Z'],
    ['a day in summer', { notBefore: '2026-07-15' }, '2026-07-14T23:00:00.000Z'],
    [
      'the day on which the clocks go forward',
      { notBefore: '2026-03-29' },
      '2026-03-29T00:00:00.000Z',
    ],
    ['the day after it', { notBefore: '2026-03-30' }, '2026-03-29T23:00:00.000Z'],
    [
      'the day on which the clocks go back',
      { notBefore: '2026-10-25' },
      '2026-10-24T23:00:00.000Z',
    ],
  ])('%s: sending starts when that day begins in London', (_name, asked, expected) => {
    expect(planSending(asked, freely).notBefore?.toISOString() ?? null).toBe(expected)
  })

  test.each<[SendControl, boolean, string | null]>([
    [{}, false, null],
    [{ hold: false }, false, null],
    [{ hold: true }, false, 'consumer'],
    [{ hold: true }, true, 'consumer'],
    [{}, true, 'contract'],
    [{ hold: false }, true, 'contract'],
  ])('%j, held for approval %j: held by %s', (asked, holdForApproval, heldBy) => {
    expect(planSending(asked, { holdForApproval }).heldBy).toBe(heldBy)
  })
})

test.each([
  ['2026-07-15T12:00:00Z', '2026-07-15', '2027-07-16'],
  // after midnight in London, before it in UTC
  ['2026-07-15T23:30:00Z', '2026-07-16', '2027-07-17'],
  ['2027-12-31T23:59:59Z', '2027-12-31', '2028-12-31'],
])('at %s a letter may wait for a day from %s to %s', (now, first, last) => {
  expect(notBeforeRange(new Date(now))).toEqual({ first, last })
})

test.each([
  [null, false],
  ['consumer', false],
  ['contract', false],
  ['consumer:0190', true],
])('a letter held by %s waits for an operator: %s', (heldBy, expected) => {
  expect(isHeldByOperator(heldBy)).toBe(expected)
})
