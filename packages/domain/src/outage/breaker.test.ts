import { expect, test } from 'vitest'
import {
  type Breaker,
  distrustMs,
  initialBreaker,
  isHalfOpen,
  rampedConcurrency,
  recordFailure,
  recordProbe,
  recordSuccess,
} from './breaker.ts'

const start = 1_000_000

/** Events one second apart. a to f: failed for that letter; S: served one; P: a probe passed; X: a probe failed. */
const after = (events: string, from: Breaker = initialBreaker, atMs = start): Breaker =>
  [...events].reduce((breaker, event, index) => {
    const nowMs = atMs + index * 1_000
    if (event === 'S') return recordSuccess(breaker)
    if (event === 'P' || event === 'X') return recordProbe(breaker, event === 'P', nowMs)
    return recordFailure(breaker, event, nowMs)
  }, from)

test.each([
  ['', 'closed'],
  ['X', 'open'],
  ['XP', 'closed'],
  ['XS', 'open'],
  ['XXXP', 'closed'],
  ['aaaaaaaaaaaa', 'closed'],
  ['abcd', 'closed'],
  ['abcde', 'open'],
  ['abcdSe', 'closed'],
  ['abPcdPe', 'open'],
  ['abcdeP', 'open'],
  ['abcdePPPPPPPPPP', 'trial'],
  ['abcdePPPPPPPPPPS', 'closed'],
  ['abcdePPPPPPPPPPa', 'open'],
  ['abcdefffffffffP', 'trial'],
  ['abcXP', 'closed'],
])('after %s the breaker is %s', (events, expected) => {
  const breaker = after(events)
  const state = breaker.isOpen ? 'open' : isHalfOpen(breaker) ? 'trial' : 'closed'

  expect(state).toBe(expected)
})

test('keeps the last five subjects that failed, however many do while it is on trial', () => {
  const { failing } = after('abcdePPPPPPPPPPfPPPPPPPPPPP')

  expect(failing).toEqual(['b', 'c', 'd', 'e', 'f'])
})

test('ignores probes for 10 s if letters still fail', () => {
  const open = after('abcde')
  const openedAtMs = start + 4_000

  expect(recordProbe(open, true, openedAtMs + distrustMs - 1).isOpen).toBe(true)
  expect(recordProbe(open, true, openedAtMs + distrustMs).isOpen).toBe(false)
})

test.each([
  [0, 16, 1],
  [499, 16, 1],
  [500, 16, 2],
  [1_000, 16, 4],
  [2_000, 16, 16],
  [2_000, 10, 10],
  [600_000, 200, 200],
])(
  '%i ms after its return a worker of at most %i tasks runs %i at once',
  (sinceMs, max, expected) => {
    expect(rampedConcurrency(sinceMs, max)).toBe(expected)
  },
)
