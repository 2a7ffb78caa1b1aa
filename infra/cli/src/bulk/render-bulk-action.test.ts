import type { BulkActionDetailsResponse } from '@despatch/contracts/administration/bulk-action'
import { expect, test } from 'vitest'
import { renderBulkActionDetails } from './render-bulk-action.ts'

const progress = { done: 0, refused: 0, absent: 0, notBegun: 0, left: 0, failing: 0 }
const planned: BulkActionDetailsResponse = {
  bulkActionId: '1',
  action: 'hold',
  reason: 'why',
  state: 'PLANNED',
  digest: 'aa',
  printJobCount: 200,
  needsSecondPerson: false,
  plannedBy: 'anna',
  plannedAt: '',
  progress,
  items: [],
}

test.each<[Partial<BulkActionDetailsResponse>, string | undefined]>([
  [{ needsSecondPerson: true }, 'must confirm'],
  [{ secondPersonOff: 'Not yet.' }, 'Not yet.'],
  [{}, undefined],
])('%j says who must confirm: %s', (facts, said) => {
  const text = renderBulkActionDetails({ ...planned, ...facts })

  expect(/^ +second person\t(.+)$/m.exec(text)?.[1]).toBe(said)
})

test('names the command that shows the rest of a long plan', () => {
  const text = renderBulkActionDetails({ ...planned, nextCursor: '1000' })

  expect(text).toContain('More print jobs: despatch bulk show 1 --cursor 1000')
})
