import { expect, test } from 'vitest'
import { overdueTime } from './overdue.ts'
import { printRunStates } from './state.ts'

test('a run is overdue after its day, and a claimed run at the hour when its provider should have reported', () => {
  expect(printRunStates.map((state) => [state, overdueTime(state)])).toEqual([
    ['OPEN', '00:00'],
    ['RELEASED', '00:00'],
    ['CLAIMED', '12:00'],
    ['ACCEPTED', '12:00'],
    ['ACCEPTED_WITH_EXCEPTIONS', '12:00'],
    ['REFUSED', '00:00'],
    ['IN_PRODUCTION', '12:00'],
    ['POSTED', '12:00'],
    ['RECONCILED', undefined],
    ['CLOSED', undefined],
    ['VOIDED', undefined],
  ])
})
