import { expect, test } from 'vitest'
import { stateAfterAcknowledgement } from './state.ts'

const rows: [refusedCount: number, state: string][] = [
  [0, 'ACCEPTED'],
  [1, 'ACCEPTED_WITH_EXCEPTIONS'],
  [2, 'ACCEPTED_WITH_EXCEPTIONS'],
  [3, 'REFUSED'],
]

test.for(rows)('a run of 3 of which %i are refused is %s', ([refusedCount, state]) => {
  expect(stateAfterAcknowledgement({ documentCount: 3, refusedCount })).toBe(state)
})
