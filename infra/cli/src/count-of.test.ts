import { expect, test } from 'vitest'
import { countOf } from './count-of.ts'

test.each([
  [0, '0 tasks'],
  [1, '1 task'],
  [2, '2 tasks'],
])('%i is counted as %s', (value, text) => {
  expect(countOf(value, 'task')).toBe(text)
})
