import { expect, test } from 'vitest'
import { printRunStates } from '../print-run/state.ts'
import { whyNotPossible } from './operator-action.ts'
import {
  type PrintRunAction,
  type PrintRunFacts,
  printRunActions,
  settleRecall,
} from './print-run-actions.ts'

const acknowledged = ['ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'IN_PRODUCTION', 'POSTED'] as const

test.for<[PrintRunAction, Partial<PrintRunFacts>, readonly string[]]>([
  ['release', {}, ['OPEN']],
  ['move', { isRefusedAsWhole: true }, ['OPEN', 'RELEASED', 'CLAIMED', 'REFUSED']],
  ['move', { isRefusedAsWhole: false }, ['OPEN', 'RELEASED', 'CLAIMED']],
  ['move', { isRefusedAsWhole: true, isEmpty: false }, ['OPEN', 'RELEASED', 'CLAIMED', 'REFUSED']],
  ['move', { isRefusedAsWhole: true, isEmpty: true }, []],
  ['move', { isRefusedAsWhole: true, isAccountedFor: true }, []],
  ['recall', { isAccountedFor: false }, printRunStates.slice(0, -2)],
  ['recall', { isAccountedFor: true }, []],
  ['post', { isAccountedFor: false }, [...acknowledged, 'RECONCILED']],
  ['post', { isAccountedFor: true }, []],
  ['close', { isAccountedFor: true }, ['CLAIMED', ...acknowledged, 'REFUSED', 'RECONCILED']],
  ['close', { isAccountedFor: false }, []],
])('%s, %o: possible in the states %j', ([name, facts, states]) => {
  const possible = printRunStates.filter(
    (state) => whyNotPossible(printRunActions[name], { state, ...facts }) === null,
  )

  expect([...possible].sort()).toEqual([...states].sort())
})

test.for<[state: 'OPEN' | 'RELEASED', whyNot: string]>([
  ['OPEN', 'it has no documents yet'],
  ['RELEASED', 'it has no documents left to print'],
])('an empty print run that is %s cannot be moved: %s', ([state, whyNot]) => {
  expect(whyNotPossible(printRunActions.move, { state, isEmpty: true })).toBe(whyNot)
})

test('whether a recall can be settled is judged only when the answer is recorded', () => {
  expect(whyNotPossible(settleRecall, {})).toBeNull()
})
