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

test('every state that is reached, and those without a reliable way out', () => {
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
