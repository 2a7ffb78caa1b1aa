import { expect, test } from 'vitest'
import { stacked } from '../parts/stack.ts'
import { daysOf } from './days.ts'

test('documents of a day are summed by what has become of them', () => {
  const run = (
    expectedDespatchDate: string | null,
    state: 'OPEN' | 'CLAIMED' | 'ACCEPTED' | 'POSTED',
    documents: number,
  ) => ({ expectedDespatchDate, state, documents })

  expect(
    daysOf([
      run('2026-11-24', 'ACCEPTED', 3),
      run('2026-11-24', 'CLAIMED', 2),
      run('2026-11-24', 'POSTED', 40),
      run('2026-11-25', 'CLAIMED', 5),
      run(null, 'OPEN', 1),
    ]),
  ).toEqual([
    { date: '2026-11-24', gathering: 2, inProduction: 3, posted: 40 },
    { date: '2026-11-25', gathering: 5, inProduction: 0, posted: 0 },
    { date: null, gathering: 1, inProduction: 0, posted: 0 },
  ])
})

test('each bar of a stack ends above those after it', () => {
  expect(
    stacked([
      [1, 0],
      [2, 5],
      [40, 0],
    ]),
  ).toEqual([
    [43, 5],
    [42, 5],
    [40, 0],
  ])
})
