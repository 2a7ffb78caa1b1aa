import { expect, test } from 'vitest'
import { successOf, trendOf, worstFirst } from './success.ts'

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
    origin: name,
    breaker: 'closed' as const,
    attempts,
    successes,
    open: 0,
    delivered: 0,
    dead,
    halfHours: { from: '2026-11-24T00:00:00Z', delivered: [], failed: [] },
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

const from = '2026-01-09T23:00:00.000Z'
const now = new Date('2026-01-10T00:40:00.000Z')
test.for([
  [[0, 0, 0, 0], [0, 0, 0, 0], [null, null, null, null], '', 'no attempts'],
  [[2, 0, 1, 0], [0, 0, 0, 0], [1, null, 1, null], 'ok', 'always 100%'],
  [
    [98, 1, 2, 0],
    [0, 1, 2, 0],
    [1, 0.5, 0.5, null],
    'warn',
    'lowest 50.0% at 00:00, last 50.0% at 00:00',
  ],
  [
    [0, 0, 0, 1],
    [3, 0, 0, 0],
    [0, null, null, 1],
    'bad',
    'lowest 0.0% at Fri 23:00, last 100% at 00:30',
  ],
] as const)('of %j delivered and %j failed attempts by half hour, the shares are %j', (given) => {
  const [delivered, failed, shares, tone, text] = given
  const halfHours = { from, delivered: [...delivered], failed: [...failed] }

  expect(trendOf(halfHours, now)).toEqual({ shares, tone, text })
})
