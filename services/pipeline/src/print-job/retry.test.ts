import { expect, test } from 'vitest'
import { killsWorkers, pauseSeconds, planRetry, waitSeconds } from './retry.ts'

test.each([
  [1, { kind: 'retry', seconds: 1 }],
  [2, { kind: 'retry', seconds: 2 }],
  [7, { kind: 'retry', seconds: 64 }],
  [8, { kind: 'park' }],
])('after %i faults the plan is %o', (failures, plan) => {
  expect(planRetry({ failures, starts: 1 })).toEqual(plan)
})

test('a step whose workers die is parked without any counted fault', () => {
  expect(planRetry({ failures: 1, starts: 9 })).toEqual({ kind: 'retry', seconds: 1 })
  expect(planRetry({ failures: 1, starts: 10 })).toEqual({ kind: 'park' })
  expect(killsWorkers({ starts: 10 })).toBe(false)
  expect(killsWorkers({ starts: 11 })).toBe(true)
})

test('delays are spread at random, by up to two seconds or a minute', () => {
  expect([0, 0.5, 1].map((chance) => pauseSeconds(chance))).toEqual([0, 1, 2])
  expect([0, 0.5, 1].map((chance) => waitSeconds(chance))).toEqual([120, 150, 180])
})
