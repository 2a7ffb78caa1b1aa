import { expect, test } from 'vitest'
import { actionPath, possibleActions, whyNotPossible } from './operator-action.ts'

type Facts = { state: 'NEW' | 'OLD' | 'GONE'; isHeld: boolean }

const action = {
  refusals: [
    { when: { state: ['OLD', 'GONE'] as const, isHeld: true }, whyNot: 'both' },
    { when: { state: 'GONE' as const }, whyNot: 'gone' },
    { when: { isHeld: false }, whyNot: 'not held' },
  ],
}

test.for<[Partial<Facts>, string | null]>([
  [{ state: 'NEW', isHeld: true }, null],
  [{ state: 'OLD', isHeld: true }, 'both'],
  [{ state: 'GONE', isHeld: true }, 'both'],
  [{ state: 'GONE', isHeld: false }, 'gone'],
  [{ state: 'NEW', isHeld: false }, 'not held'],
  [{ state: 'OLD' }, null],
  [{}, null],
])('%o: the first refusal with all its facts known applies', ([facts, expected]) => {
  expect(whyNotPossible<Facts>(action, facts)).toBe(expected)
})

test('the path contains the encoded id', () => {
  expect(actionPath({ path: '/queues/:queue/pause' }, 'a/b c')).toBe('/queues/a%2Fb%20c/pause')
  expect(actionPath({ path: '/callbacks/replay' })).toBe('/callbacks/replay')
})

test('each action says whether it is possible, and if not, why', () => {
  expect(possibleActions<string, Facts>({ act: action }, { state: 'NEW', isHeld: true })).toEqual([
    { action: 'act', isPossible: true, whyNot: null },
  ])
  expect(possibleActions<string, Facts>({ act: action }, { state: 'GONE', isHeld: true })).toEqual([
    { action: 'act', isPossible: false, whyNot: 'both' },
  ])
})
