import { expect, test } from 'vitest'
import { differingPages } from './compare-versions.ts'

const pages = (text: string) => [...text].map((each) => Buffer.from(each))

test.each([
  ['abc', 'abc', []],
  ['abc', 'axc', [2]],
  ['ab', 'abc', [3]],
  ['abc', 'a', [2, 3]],
  ['', 'ab', [1, 2]],
  ['bca', 'abc', [1, 2, 3]],
])('of the pages %s and %s, these differ: %j', (before, after, differing) => {
  expect(differingPages({ before: pages(before), after: pages(after) })).toEqual(differing)
})
