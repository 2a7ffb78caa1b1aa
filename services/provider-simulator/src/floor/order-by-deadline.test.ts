import { expect, test } from 'vitest'
import { orderByDeadline } from './order-by-deadline.ts'

test('the oldest deadline comes first, then the older release; no deadline comes last', () => {
  const ordered = orderByDeadline([
    { batchNumber: 'none', releasedAt: '2026-01-01T00:00:00Z' },
    { batchNumber: 'late', releasedAt: '2026-01-01T00:00:00Z', expectedDespatchDate: '2026-01-09' },
    {
      batchNumber: 'newer',
      releasedAt: '2026-01-03T00:00:00Z',
      expectedDespatchDate: '2026-01-05',
    },
    {
      batchNumber: 'older',
      releasedAt: '2026-01-02T00:00:00Z',
      expectedDespatchDate: '2026-01-05',
    },
  ])

  expect(ordered.map(({ batchNumber }) => batchNumber)).toEqual(['older', 'newer', 'late', 'none'])
})
