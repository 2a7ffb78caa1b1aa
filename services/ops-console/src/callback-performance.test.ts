import { expect, test } from 'vitest'
import { successOf, worstFirst } from '../public/callbacks/success.ts'

test.for([
  [0, 0, '–', ''],
  [10_000, 10_000, '100%', 'ok'],
  [10_000, 9_999, '99.9%', 'ok'],
  [1_000, 989, '98.9%', 'warn'],
  [1_000, 899, '89.9%', 'bad'],
  [3, 0, '0.0%', 'bad'],
] as const)('of %i attempts, %i that succeeded are %s', ([attempts, successes, text, tone]) => {
  expect(successOf({ attempts, successes })).toEqual({ text, tone })
})

test('the origin of a consumer that fails most is first, one without attempts last', () => {
  const facts = { consumerId: 'c', userName: 'u', from: '2026-11-24T00:00:00Z', isPart: false }
  const origin = (name: string, attempts: number, successes: number, dead = 0) => ({
    ...{ origin: name, breaker: 'closed' as const, attempts, successes },
    ...{ open: 0, delivered: 0, dead },
  })
  const rows = worstFirst([
    { ...facts, name: 'A', origins: [origin('none', 0, 0), origin('well', 5, 5)] },
    { ...facts, name: 'B', origins: [origin('poor', 4, 3), origin('poor with dead', 4, 3, 1)] },
  ])

  expect(rows.map(({ name, origin }) => `${name} ${origin}`)).toEqual([
    'B poor with dead',
    'B poor',
    'A well',
    'A none',
  ])
})
