import { expect, test } from 'vitest'
import { killsWorkers, planRetry } from './retry.ts'

test.each([
  [1, { kind: 'retry', seconds: 1 }],
  [2, { kind: 'retry', seconds: 2 }],
  [7, { kind: 'retry', seconds: 64 }],
  [8, { kind: 'park' }],
])('after %i faults the plan is %o', (failures, plan) => {
  expect(planRetry({ failures, starts: 1 })).toEqual(plan)
})

test('a step whose workers die is parked without any counted fault', () => {
  expect(planRetry({ failures: 1, starts: 10 })).toEqual({ kind: 'park' })
  expect(killsWorkers({ starts: 10 })).toBe(false)
  expect(killsWorkers({ starts: 11 })).toBe(true)
})
