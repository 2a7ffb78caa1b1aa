import { expect, test } from 'vitest'
import { answerMsBounds, estimateAnswerMs } from './answer-time.ts'

const boundOf = (ms: number) => answerMsBounds.find((bound) => ms <= bound)!

const countsOf = (times: readonly number[]) =>
  answerMsBounds.map((boundMs) => ({
    boundMs,
    count: times.filter((ms) => boundOf(ms) === boundMs).length,
  }))

test('each estimate of an answer time is within a quarter, from a millisecond to the time limit', () => {
  const wrong = Array.from({ length: 15_000 }, (_, index) => index + 1).filter((ms) => {
    const estimate = estimateAnswerMs([{ boundMs: boundOf(ms), count: 1 }], 0.5)!
    return Math.abs(estimate - ms) / ms >= 0.25
  })

  expect(wrong).toEqual([])
})

test.for([
  [0.5, 50],
  [0.95, 95],
  [0.951, 96],
  [1, 100],
] as const)(
  'the estimate for a share of %f of 100 times is the time in place %i',
  ([share, place]) => {
    const times = Array.from({ length: 100 }, (_, index) => 2 + Math.round(1.09 ** index))

    const estimate = estimateAnswerMs(countsOf(times), share)!

    expect(estimate).toBe(estimateAnswerMs(countsOf([times[place - 1]!]), 0.5))
  },
)

test('the estimate does not depend on the order of the counts', () => {
  const counts = [
    { boundMs: 10_000, count: 1 },
    { boundMs: 100, count: 9 },
  ]

  expect([0.5, 0.95].map((share) => estimateAnswerMs(counts, share))).toEqual([83, 8_247])
})

test('the estimate for a share of nothing is the shortest time', () => {
  expect(estimateAnswerMs([{ boundMs: 100, count: 1 }], 0)).toBe(83)
})

test('without attempts there is no estimate', () => {
  expect(estimateAnswerMs([], 0.5)).toBeNull()
  expect(estimateAnswerMs([{ boundMs: 100, count: 0 }], 0.5)).toBeNull()
})
