import { expect, test } from 'vitest'
import { hasDotSegment } from './dot-segment.ts'

test.each([
  ['.', true],
  ['..', true],
  ['a/../b', true],
  ['./a', true],
  ['a\\..', true],
  ['', false],
  ['...', false],
  ['..a', false],
  ['a.', false],
  ['Café . b', false],
  ['A/B', false],
  ['a.b/c..d', false],
])('%j has a segment . or ..: %s', (text, expected) => {
  expect(hasDotSegment(text)).toBe(expected)
})
