import { expect, test } from 'vitest'
import { renderAge, renderCount } from './figures.ts'

const ages: [seconds: number | null, text: string][] = [
  [null, '–'],
  [-1, '0 s'],
  [0.9, '0 s'],
  [119.9, '119 s'],
  [120, '2 min'],
  [7_199, '119 min'],
  [7_200, '2 h'],
  [172_799, '47 h'],
  [172_800, '2 d'],
  [200_000_000, '2,314 d'],
]

test.for(ages)('an age of %d s reads %s', ([seconds, text]) => {
  expect(renderAge(seconds)).toBe(text)
})

test('counts have their thousands apart', () => {
  expect([0, 999, 1_000, 1_234_567].map(renderCount)).toEqual(['0', '999', '1,000', '1,234,567'])
})
