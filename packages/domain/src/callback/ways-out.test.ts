import { walkStates } from '@despatch/testing/walk-states'
import { expect, test } from 'vitest'
import { type CallbackState, callbackEndReasons, callbackStates } from './callback-state.ts'
import { type AttemptResult, planNextAttempt } from './retry.ts'

/** A callback and how long ago, in milliseconds, it became owed and was first attempted. */
type Callback = {
  state: CallbackState
  endReason: string | null
  attempts: number
  owedForMs: number
  triedForMs: number | null
  retries: boolean
}

/** Every kind of result. Each may follow each other. */
const results: AttemptResult[] = [
  { kind: 'answered', httpStatus: 204 },
  { kind: 'answered', httpStatus: 410 },
  { kind: 'answered', httpStatus: 400 },
  { kind: 'answered', httpStatus: 503 },
  { kind: 'unreached' },
  { kind: 'unknown' },
  { kind: 'unsendable' },
  { kind: 'fault' },
]
const failing: AttemptResult[] = results.filter(({ kind }) => kind !== 'fault')
const owed: Callback = {
  state: 'WAITING',
  endReason: null,
  attempts: 0,
  owedForMs: 0,
  triedForMs: null,
  retries: true,
}
const isEnd = ({ state }: Callback) => state === 'DELIVERED' || state === 'DEAD'
const start = new Date('2026-03-02T10:00:00Z').getTime()
/** The shortest window has the fewest states. */
const maxRetryWindow = 20

test('with any answers of its consumer a callback ends in time, and every end is reachable', () => {
  const { states, stuck } = walkStates<Callback>({
    starts: [owed, { ...owed, retries: false }],
    moves: (callback) => movesOf(callback, failing),
    isReliable: (name) => name === 'its turn' || name.startsWith('the worst'),
    isEnd,
  })

  expect(stuck).toEqual([])
  expect([...new Set(states.map(({ state }) => state))].toSorted()).toEqual(
    callbackStates.toSorted(),
  )
  const reasons = new Set(states.flatMap(({ endReason }) => endReason ?? []))
  expect([...reasons].toSorted()).toEqual(callbackEndReasons.toSorted())
})

test('a permanent fault of ours also ends a callback', () => {
  const { states, stuck } = walkStates<Callback>({
    starts: [owed, { ...owed, retries: false }],
    moves: (callback) => movesOf(callback, [{ kind: 'fault' }]),
    isReliable: () => true,
    isEnd,
  })

  expect(stuck).toEqual([])
  expect(states.some(isEnd)).toBe(true)
})

/** The worst that can happen, for ever, is no answer. */
function movesOf(callback: Callback, given: readonly AttemptResult[]): [string, Callback][] {
  if (isEnd(callback)) return []
  if (callback.state === 'WAITING') return [['its turn', { ...callback, state: 'DUE' }]]
  return given.map((result) => {
    const name = result.kind === 'unreached' ? 'the worst: no answer' : `answer ${result.kind}`
    return [name, attempted(callback, result)]
  })
}

function attempted(callback: Callback, result: AttemptResult): Callback {
  const { owedForMs, triedForMs, retries } = callback
  const attempts = callback.attempts + 1
  const finishedAt = new Date(start + owedForMs)
  const next = planNextAttempt({
    result,
    attempts,
    finishedAt,
    owedSince: new Date(start),
    random: 0.5,
    retryParams: retries ? { enabled: true, maxRetryWindow } : undefined,
    firstAttemptAt: new Date(start + owedForMs - (triedForMs ?? 0)),
  })
  if (next.kind === 'delivered') return { ...callback, state: 'DELIVERED' }
  if (next.kind === 'abandon') return { ...callback, state: 'DEAD', endReason: next.reason }
  const isPostponed = next.kind === 'postpone'
  const passedMs = next.at.getTime() - finishedAt.getTime()
  return {
    ...callback,
    // a postponed attempt uses none up
    attempts: isPostponed ? callback.attempts : attempts,
    owedForMs: owedForMs + passedMs,
    // nor is it the first
    triedForMs: triedForMs === null && isPostponed ? null : (triedForMs ?? 0) + passedMs,
  }
}
