import { expect, test } from 'vitest'
import { releasePageDocuments, releaseRetrySeconds } from './release-retry.ts'

test('each failure halves the pages, down to a hundred documents', () => {
  expect([0, 1, 2, 4, 5, 2_000].map(releasePageDocuments)).toEqual([
    2_500, 1_250, 625, 156, 100, 100,
  ])
})

test('each failure doubles the wait, up to ten minutes', () => {
  expect([1, 2, 3, 6, 7, 2_000].map(releaseRetrySeconds)).toEqual([10, 20, 40, 320, 600, 600])
})
