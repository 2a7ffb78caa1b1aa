import { expect, test } from 'vitest'
import { differingPages } from './differing-pages.ts'

const pages = (text: string) => [...text].map((each) => new TextEncoder().encode(each))

test.each([
  ['abc', 'abc', []],
  ['abc', 'axc', [2]],
  ['ab', 'abc', [3]],
  ['abc', 'a', [2, 3]],
  ['bca', 'abc', [1, 2, 3]],
])('of the pages %s and %s, these differ: %j', (before, after, differing) => {
  expect(differingPages({ before: pages(before), after: pages(after) })).toEqual(differing)
})
