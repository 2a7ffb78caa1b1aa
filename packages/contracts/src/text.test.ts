import { expect, test } from 'vitest'
import { pathSegment } from './text.ts'

test.each([
  ['..', false],
  ['A/../B', false],
  ['A\\.', false],
  ['A/B', true],
  ['Café . B', true],
  ['..A', true],
])('%j is a valid name in a path: %s', (name, expected) => {
  expect(pathSegment({ max: 20 }).safeParse(name).success).toBe(expected)
})
