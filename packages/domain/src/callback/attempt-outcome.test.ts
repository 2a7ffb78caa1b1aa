import { expect, test } from 'vitest'
import { type AttemptOutcome, outcomeOfStatus } from './attempt-outcome.ts'

const outcomes: [httpStatus: number, outcome: AttemptOutcome][] = [
  [199, 'refused'],
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [300, 'redirect'],
  [304, 'redirect'],
  [399, 'redirect'],
  [400, 'refused'],
  [409, 'refused'],
  [410, 'gone'],
  [411, 'refused'],
  [429, 'refused'],
  [500, 'refused'],
  [599, 'refused'],
  [999, 'refused'],
]

test.for(outcomes)('an answer of %i is %s', ([httpStatus, outcome]) => {
  expect(outcomeOfStatus(httpStatus)).toBe(outcome)
})
