import { expect, test } from 'vitest'
import { walkStates } from './walk-states.ts'

const next: Record<string, [string, string][]> = {
  start: [
    ['operator', 'middle'],
    ['provider', 'lost'],
  ],
  middle: [['timer', 'end']],
  lost: [
    ['provider', 'end'],
    ['operator', 'lost'],
  ],
}

test('returns every reachable state, and the states without a reliable way to an end', () => {
  const walked = walkStates({
    starts: ['start'],
    moves: (state) => next[state] ?? [],
    isReliable: (name) => name !== 'provider',
    isEnd: (state) => state === 'end',
  })

  expect(walked).toEqual({
    states: ['start', 'middle', 'lost', 'end'],
    moves: ['operator', 'provider', 'timer'],
    stuck: ['lost'],
  })
})
