import { expect, test } from 'vitest'
import { keptSince } from './retention.ts'

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
