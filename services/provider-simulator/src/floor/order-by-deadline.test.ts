import { expect, test } from 'vitest'
import { orderByDeadline } from './order-by-deadline.ts'

test('the oldest deadline comes first, then the older release; no deadline comes last', () => {
  const run = (batchNumber: string, releasedOn: string, expectedDespatchDate?: string) => ({
    batchNumber,
    releasedAt: `${releasedOn}T00:00:00Z`,
    ...(expectedDespatchDate && { expectedDespatchDate }),
  })

  const ordered = orderByDeadline([
    run('none', '2026-01-01'),
    run('late', '2026-01-01', '2026-01-09'),
    run('newer', '2026-01-03', '2026-01-05'),
    run('older', '2026-01-02', '2026-01-05'),
  ])

  expect(ordered.map(({ batchNumber }) => batchNumber)).toEqual(['older', 'newer', 'late', 'none'])
})
