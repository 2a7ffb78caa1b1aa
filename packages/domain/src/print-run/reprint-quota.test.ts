import { expect, test } from 'vitest'
import { freeReprintsMax } from './reprint-quota.ts'

const rows: [max: number, percent: number, documents: number, free: number][] = [
  [10, 1, 1, 10],
  [10, 1, 1_000, 10],
  [10, 1, 1_001, 11],
  [0, 1.1, 1_000, 11],
  [0, 0.5, 1, 1],
  [0, 0, 1_000, 0],
  [3, 100, 2, 3],
]

test.for(rows)(
  'a quota of at least %i, and %f %% of %i documents, allows %i reprints',
  ([reprintsFreeMax, reprintsFreePercent, documentCount, free]) => {
    expect(freeReprintsMax({ reprintsFreeMax, reprintsFreePercent, documentCount })).toBe(free)
  },
)
