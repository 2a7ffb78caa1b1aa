import { expect, test } from 'vitest'
import { judgePagesMax } from './pages-limit.ts'

test('a letter may have as many pages as its contract allows', () => {
  expect(judgePagesMax(10, 10)).toEqual([])
})

test('one page more is refused, with both numbers', () => {
  expect(judgePagesMax(11, 10)).toEqual([
    {
      rule: 'pages-max',
      severity: 'refusal',
      measured: { unit: 'pages', value: 11 },
      allowed: { unit: 'pages', max: 10 },
      detail: 'The document has 11 pages; at most 10 are allowed',
    },
  ])
})
