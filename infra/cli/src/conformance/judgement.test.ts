import { expect, test } from 'vitest'
import { combine, verdictOf } from './judgement.ts'

test.each([
  [
    { violations: [], outstanding: [] },
    { result: 'PASS', reason: '' },
  ],
  [
    { violations: ['wrong'], outstanding: ['late'], notShown: 'nothing' },
    { result: 'FAIL', reason: 'wrong' },
  ],
  [
    { violations: [], outstanding: ['late'], notShown: 'nothing' },
    { result: 'FAIL', reason: 'not done in time: late' },
  ],
  [
    { violations: [], outstanding: [], notShown: 'nothing' },
    { result: 'NOT SHOWN', reason: 'nothing' },
  ],
  [
    { violations: ['1', '2', '3', '4', '5'], outstanding: [] },
    { result: 'FAIL', reason: '1; 2; 3; and 2 more' },
  ],
])('%j results in %j', (judgement, verdict) => expect(verdictOf(judgement)).toEqual(verdict))

test('judgements are combined in their order, with the first reason why nothing is shown', () => {
  const combined = combine(
    { violations: ['a'], outstanding: ['b'] },
    { violations: ['c'], notShown: 'd' },
    { outstanding: ['e'], notShown: 'f' },
  )

  expect(combined).toEqual({ violations: ['a', 'c'], outstanding: ['b', 'e'], notShown: 'd' })
})
