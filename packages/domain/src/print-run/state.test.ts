import { expect, test } from 'vitest'
import {
  isInProduction,
  missingCount,
  printRunStates,
  type ReconciliationCounts,
  stateAfterAcknowledgement,
  stateOfWork,
} from './state.ts'

const rows: [refusedCount: number, state: string][] = [
  [0, 'ACCEPTED'],
  [1, 'ACCEPTED_WITH_EXCEPTIONS'],
  [2, 'ACCEPTED_WITH_EXCEPTIONS'],
  [3, 'REFUSED'],
]

test.for(rows)('a run of 3 with %i refused documents is %s', ([refusedCount, state]) => {
  expect(stateAfterAcknowledgement({ documentCount: 3, refusedCount })).toBe(state)
})

const none = { expected: 10, despatched: 0, refused: 0, failed: 0, recalled: 0, posted: 0 }
const accounts: [account: Partial<ReconciliationCounts>, missing: number, state: string][] = [
  [{}, 10, 'IN_PRODUCTION'],
  [{ posted: 9 }, 10, 'IN_PRODUCTION'],
  [{ posted: 10 }, 10, 'POSTED'],
  [{ despatched: 4, refused: 3, failed: 2 }, 1, 'IN_PRODUCTION'],
  [{ despatched: 4, refused: 3, failed: 2, posted: 1 }, 1, 'POSTED'],
  [{ despatched: 4, refused: 3, failed: 2, recalled: 1 }, 0, 'RECONCILED'],
  [{ refused: 10 }, 0, 'RECONCILED'],
]

test.for(accounts)('of 10 documents, %o, %i are missing, and the run is %s', (row) => {
  const [account, missing, state] = row
  const whole = { ...none, ...account }

  expect([missingCount(whole), stateOfWork(whole)]).toEqual([missing, state])
})

test('a run accepts events from its acknowledgement until its closing', () => {
  expect(printRunStates.filter(isInProduction)).toEqual([
    'ACCEPTED',
    'ACCEPTED_WITH_EXCEPTIONS',
    'IN_PRODUCTION',
    'POSTED',
    'RECONCILED',
  ])
})
