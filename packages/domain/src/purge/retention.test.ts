import { expect, test } from 'vitest'
import { historyKeptSince, keptSince, monthKeptSince } from './retention.ts'

test.each<[contractDays: number | null, deploymentDays: number, since: string]>([
  [null, 90, '2026-01-01T10:30:00.000Z'],
  [30, 90, '2026-03-02T10:30:00.000Z'],
  [365, 90, '2025-04-01T10:30:00.000Z'],
  [1, 1, '2026-03-31T10:30:00.000Z'],
])(
  'with %s days of the contract and %s of the deployment, jobs that ended before %s are due',
  (contractDays, deploymentDays, since) => {
    const now = new Date('2026-04-01T10:30:00.000Z')

    expect(keptSince(now, { contractDays, deploymentDays }).toISOString()).toBe(since)
  },
)

test('history is kept for its days after the purge, and a month for those of all its letters', () => {
  const now = new Date('2026-04-01T10:30:00.000Z')
  const daysAgo = (then: Date) => (now.getTime() - then.getTime()) / 86_400_000

  expect(daysAgo(historyKeptSince(now, { historyDays: 365 }))).toBe(365)
  // 60 days until it has left, 90 until it is purged, 365 of history
  expect(daysAgo(monthKeptSince(now, { historyDays: 365, retentionDays: 90 }))).toBe(515)
})
