import { walkStates } from '@despatch/testing/walk-states'
import { expect, test } from 'vitest'
import {
  type BulkActionFacts,
  bulkActionState,
  bulkActionStates,
  confirmWithinSeconds,
  decideConfirmation,
  decideStop,
} from './bulk-action.ts'

/** `isIll`: a fault of ours that nobody can put right fails one of its print jobs each time. */
type Action = Pick<BulkActionFacts, 'state' | 'needsSecondPerson'> & {
  isLate: boolean
  isIll: boolean
}

const plannedAt = new Date('2026-03-02T10:00:00Z')
const plan = { plannedAt, plannedBy: 'one', digest: '0', printJobCount: 2 }
const nowOf = ({ isLate }: Action) =>
  new Date(plannedAt.getTime() + (isLate ? confirmWithinSeconds * 1_000 : 0))
const stateOf = (action: Action) => bulkActionState({ ...plan, ...action }, nowOf(action))

test('an operator and the runner bring a bulk action from every state to an end', () => {
  const { states, stuck } = walkStates<Action>({
    starts: [true, false].flatMap((needsSecondPerson) =>
      [true, false].map((isIll): Action => {
        return { state: 'PLANNED', needsSecondPerson, isLate: false, isIll }
      }),
    ),
    moves: (action) => movesOf(action),
    isReliable: () => true,
    isEnd: (action) => ['EXPIRED', 'STOPPED', 'ENDED'].includes(stateOf(action)),
  })

  expect(stuck).toEqual([])
  expect([...new Set(states.map(stateOf))].toSorted()).toEqual(bulkActionStates.toSorted())
})

function movesOf(action: Action): [string, Action][] {
  const facts = { ...plan, ...action }
  const now = nowOf(action)
  const moves: [string, Action][] = [['a day passes', { ...action, isLate: true }]]
  for (const confirmedBy of ['one', 'two']) {
    const { kind } = decideConfirmation(facts, { ...plan, confirmedBy }, now)
    if (kind === 'confirm') moves.push(['confirm', { ...action, state: 'RUNNING' }])
  }
  if (decideStop(facts, now).kind === 'stop') moves.push(['stop', { ...action, state: 'STOPPED' }])
  if (action.state === 'RUNNING' && !action.isIll) {
    moves.push(['the runner ends it', { ...action, state: 'ENDED' }])
  }
  return moves
}
