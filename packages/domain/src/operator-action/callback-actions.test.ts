import { expect, test } from 'vitest'
import { callbackActions } from './callback-actions.ts'
import { whyNotPossible } from './operator-action.ts'

test.for<[what: string, isPurged: boolean, whyNot: string | null]>([
  ['has its message', false, null],
  ['is purged', true, 'Its message was deleted at the end of its retention'],
])('a callback that %s is sent again: %s', ([, isPurged, whyNot]) => {
  expect(whyNotPossible(callbackActions.replay, { isPurged })).toBe(whyNot)
})

test('many callbacks can be sent again even if some are purged', () => {
  expect(whyNotPossible(callbackActions['replay-many'], { isPurged: true })).toBeNull()
})
