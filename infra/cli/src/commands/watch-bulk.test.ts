import type { BulkActionResponse } from '@despatch/contracts/administration/bulk-action'
import { expect, test } from 'vitest'
import { exitCodeOf } from './watch-bulk.ts'

const progress = { done: 0, refused: 0, absent: 0, notBegun: 0, left: 0, failing: 0 }
const found: BulkActionResponse = {
  bulkActionId: '1',
  action: 'hold',
  reason: 'why',
  state: 'ENDED',
  digest: 'aa',
  printJobCount: 2,
  needsSecondPerson: false,
  plannedBy: 'anna',
  plannedAt: '',
  progress,
}

test.each<[BulkActionResponse['state'], number, number]>([
  ['PLANNED', 0, 4],
  ['RUNNING', 2, 4],
  ['ENDED', 2, 0],
  ['ENDED', 1, 3],
  ['STOPPED', 1, 3],
  ['EXPIRED', 0, 3],
])('%s with %d of 2 done ends with %d', (state, done, exitCode) => {
  expect(exitCodeOf({ ...found, state, progress: { ...progress, done } })).toBe(exitCode)
})
