import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RetryParams } from '../print-job/params.ts'
import {
  type AttemptFacts,
  type AttemptResult,
  type NextStep,
  planNextAttempt,
  windowEndOf,
} from './retry.ts'

const firstAttemptAt = new Date('2026-03-02T10:00:00.000Z')
const after = (seconds: number) => new Date(firstAttemptAt.getTime() + seconds * 1000)

const facts: AttemptFacts = {
  result: { kind: 'answered', httpStatus: 500 },
  retryParams: { enabled: true, maxRetryWindow: 300 },
  attempts: 1,
  owedSince: firstAttemptAt,
  firstAttemptAt,
  finishedAt: firstAttemptAt,
  random: 0.5,
}
const answered = (httpStatus: number): AttemptResult => ({ kind: 'answered', httpStatus })
const retryInOneSecond: NextStep = { kind: 'retry', at: after(1) }

const steps: [result: AttemptResult, step: NextStep][] = [
  [answered(199), retryInOneSecond],
  [answered(200), { kind: 'delivered' }],
  [answered(204), { kind: 'delivered' }],
  [answered(299), { kind: 'delivered' }],
  [answered(300), retryInOneSecond],
  [answered(302), retryInOneSecond],
  [answered(399), retryInOneSecond],
  [answered(400), { kind: 'abandon', reason: 'refused' }],
  [answered(403), { kind: 'abandon', reason: 'refused' }],
  [answered(404), { kind: 'abandon', reason: 'refused' }],
  [answered(408), retryInOneSecond],
  [answered(410), { kind: 'abandon', reason: 'gone' }],
  [answered(422), { kind: 'abandon', reason: 'refused' }],
  [answered(425), retryInOneSecond],
  [answered(429), retryInOneSecond],
  [answered(499), { kind: 'abandon', reason: 'refused' }],
  [answered(500), retryInOneSecond],
  [answered(503), retryInOneSecond],
  [{ kind: 'unreached' }, retryInOneSecond],
  [{ kind: 'unknown' }, retryInOneSecond],
  [{ kind: 'unsendable' }, { kind: 'abandon', reason: 'unsendable' }],
  [{ kind: 'fault' }, { kind: 'postpone', at: after(10) }],
]

test.for(steps)('after $0, with retries on, plans $1', ([result, step]) => {
  expect(planNextAttempt({ ...facts, result })).toEqual(step)
})

const retriesOff = [undefined, {}, { enabled: false }, { enabled: null }, { maxRetryWindow: 60 }]

test.for(retriesOff)('makes only one attempt with %j', (retryParams) => {
  const plan = (result: AttemptResult) => planNextAttempt({ ...facts, retryParams, result })

  expect(plan(answered(503))).toEqual({ kind: 'abandon', reason: 'retries-off' })
  expect(plan({ kind: 'unreached' })).toEqual({ kind: 'abandon', reason: 'retries-off' })
  expect(plan(answered(204))).toEqual({ kind: 'delivered' })
})

test('a fault of ours uses up no attempt, not even the last one', () => {
  const result = { kind: 'fault' } as const

  expect(planNextAttempt({ ...facts, result, retryParams: undefined })).toEqual({
    kind: 'postpone',
    at: after(10),
  })
  expect(planNextAttempt({ ...facts, result, finishedAt: after(400) })).toEqual({
    kind: 'postpone',
    at: after(410),
  })
})

test('a fault that lasts a day and the whole window counts as an attempt', () => {
  const result = { kind: 'fault' } as const
  const plan = (finishedAt: Date) =>
    planNextAttempt({ ...facts, result, finishedAt, firstAttemptAt: finishedAt })

  expect(plan(after(86_699))).toEqual({ kind: 'postpone', at: after(86_709) })
  expect(plan(after(86_700))).toEqual({ kind: 'retry', at: after(86_701) })
})

test('without retries, a fault that lasts a day is the only attempt', () => {
  const plan = (finishedAt: Date) =>
    planNextAttempt({ ...facts, result: { kind: 'fault' }, retryParams: undefined, finishedAt })

  expect(plan(after(86_399))).toEqual({ kind: 'postpone', at: after(86_409) })
  expect(plan(after(86_400))).toEqual({ kind: 'abandon', reason: 'retries-off' })
})

const delays: [attempts: number, delay: number][] = [
  [1, 1],
  [2, 2],
  [3, 4],
  [6, 32],
  [7, 37.5],
  [8, 37.5],
  [2000, 37.5],
]

test.for(delays)('after attempt %i of a window of 300 s the delay is %d s', ([attempts, delay]) => {
  expect(planNextAttempt({ ...facts, attempts })).toEqual({ kind: 'retry', at: after(delay) })
})

test('spreads the delay by a fifth either way', () => {
  const plan = (random: number) => planNextAttempt({ ...facts, attempts: 4, random })

  expect(plan(0)).toEqual({ kind: 'retry', at: after(6.4) })
  expect(plan(0.75)).toEqual({ kind: 'retry', at: after(8.8) })
})

const retryAfters: [seconds: number | undefined, delay: number][] = [
  [undefined, 8],
  [0, 8],
  [7, 8],
  [20, 20],
  [270, 270],
  [289.5, 290],
  [300, 290],
  [99_999_999, 290],
  [Number.MAX_SAFE_INTEGER, 290],
]

test.for(retryAfters)(
  'Retry-After of %j s, planned 8 s, 290 s left: waits %d s',
  ([seconds, delay]) => {
    const result: AttemptResult = { kind: 'answered', httpStatus: 503, retryAfterSeconds: seconds }

    expect(planNextAttempt({ ...facts, attempts: 4, finishedAt: after(10), result })).toEqual({
      kind: 'retry',
      at: after(10 + delay),
    })
  },
)

test('the window is over once an attempt ends at or after its end', () => {
  expect(planNextAttempt({ ...facts, finishedAt: after(299.999) })).toEqual({
    kind: 'retry',
    at: after(300),
  })
  expect(planNextAttempt({ ...facts, finishedAt: after(300) })).toEqual({
    kind: 'abandon',
    reason: 'window-ended',
  })
})

const attemptsPerWindow: [maxRetryWindow: number | null | undefined, attempts: number][] = [
  [30, 9],
  [60, 11],
  [300, 14],
  [3_600, 17],
  [21_600, 20],
  [86_400, 36],
  [undefined, 19],
  [null, 19],
]

test.for(attemptsPerWindow)(
  'a window of %j s holds %i attempts when each fails at once',
  ([maxRetryWindow, attempts]) => {
    const retryParams = { enabled: true, ...(maxRetryWindow !== undefined && { maxRetryWindow }) }

    const starts = playWindow({ retryParams }, () => ({ random: 0.5, seconds: 0 }))

    expect(starts).toHaveLength(attempts)
    expect(starts.at(-1)).toEqual(after(maxRetryWindow ?? 10_800))
  },
)

const failedCall = fc.record({
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  seconds: fc.double({ min: 0, max: 15, noNaN: true }),
  retryAfterSeconds: fc.option(fc.nat(), { nil: undefined }),
})

test('never plans past the end of the window, and the last attempt starts there or was under way then', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 30, max: 86_400 }),
      fc.infiniteStream(failedCall),
      (maxRetryWindow, calls) => {
        const end = after(maxRetryWindow)
        let lastFinishedAt = firstAttemptAt

        const starts = playWindow({ retryParams: { enabled: true, maxRetryWindow } }, () => {
          const { value } = calls.next()
          return { ...value, onFinish: (at: Date) => (lastFinishedAt = at) }
        })

        expect(starts.every((at) => at <= end)).toBe(true)
        expect(
          starts.slice(1, -1).every((at, i) => at.getTime() - starts[i]!.getTime() >= 800),
        ).toBe(true)
        expect(lastFinishedAt >= end).toBe(true)
      },
    ),
  )
})

test.for([
  [298, 299],
  [298.001, 300],
])(
  'after an attempt at %d s of 300, the next is at %d s: none is closer than 1 s to the last',
  ([finished, next]) => {
    const step = planNextAttempt({ ...facts, finishedAt: after(finished!) })

    expect(step).toEqual({ kind: 'retry', at: after(next!) })
  },
)

test('makes the last attempt at the end of the window with any jitter, when calls fail at once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 30, max: 86_400 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      (maxRetryWindow, randoms) => {
        const starts = playWindow({ retryParams: { enabled: true, maxRetryWindow } }, () => ({
          random: randoms.next().value,
          seconds: 0,
        }))

        expect(starts.at(-1)).toEqual(after(maxRetryWindow))
        expect(starts.length).toBeGreaterThanOrEqual(8)
        expect(starts.length).toBeLessThanOrEqual(45)
      },
    ),
  )
})

test('makes one attempt at the end of every window, and none after it', () => {
  const randoms = randomsFrom(7)
  const lastStarts: [maxRetryWindow: number, lastStartSeconds: number][] = []
  const counts: number[] = []

  for (let maxRetryWindow = 30; maxRetryWindow <= 86_400; maxRetryWindow += 1) {
    const starts = playWindow({ retryParams: { enabled: true, maxRetryWindow } }, () => ({
      random: randoms(),
      seconds: 0,
    }))
    const last = Math.max(...starts.map((at) => at.getTime()))
    lastStarts.push([maxRetryWindow, (last - firstAttemptAt.getTime()) / 1000])
    counts.push(starts.length)
  }

  expect(lastStarts.filter(([window, last]) => window !== last)).toEqual([])
  expect(lastStarts).toHaveLength(86_371)
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(8)
  expect(Math.max(...counts)).toBeLessThanOrEqual(45)
})

test('a requested second round has its own window', () => {
  const owedSince = after(100_000)
  const given = { ...facts, owedSince, firstAttemptAt: after(100_010) }

  expect(planNextAttempt({ ...given, finishedAt: after(100_011) })).toEqual({
    kind: 'retry',
    at: after(100_012),
  })
  expect(
    planNextAttempt({ ...given, finishedAt: after(100_020), result: { kind: 'fault' } }),
  ).toEqual({ kind: 'postpone', at: after(100_030) })
})

const windowEnds: [retryParams: RetryParams | undefined, end: Date | null][] = [
  [{ enabled: true, maxRetryWindow: 30 }, after(30)],
  [{ enabled: true, maxRetryWindow: 86_400 }, after(86_400)],
  [{ enabled: true, maxRetryWindow: null }, after(10_800)],
  [{ enabled: true }, after(10_800)],
  [{ enabled: false, maxRetryWindow: 30 }, null],
  [{ maxRetryWindow: 30 }, null],
  [undefined, null],
]

test.for(windowEnds)('the window of %j ends at %s', ([retryParams, end]) => {
  expect(windowEndOf(retryParams, firstAttemptAt)).toEqual(end)
})

/** Returns the same sequence of numbers from 0 to 1 in every run. */
function randomsFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type FailedCall = {
  random: number
  seconds: number
  retryAfterSeconds?: number | undefined
  onFinish?: (at: Date) => void
}

/** Makes every call fail until the planner gives up. Returns when the attempts started. */
function playWindow(given: Partial<AttemptFacts>, call: () => FailedCall): Date[] {
  const starts = [firstAttemptAt]
  for (;;) {
    const { random, seconds, retryAfterSeconds, onFinish } = call()
    const finishedAt = new Date(starts.at(-1)!.getTime() + Math.ceil(seconds * 1000))
    onFinish?.(finishedAt)
    const step = planNextAttempt({
      ...facts,
      ...given,
      result: { kind: 'answered', httpStatus: 503, retryAfterSeconds },
      attempts: starts.length,
      finishedAt,
      random,
    })
    if (step.kind !== 'retry') return starts
    starts.push(step.at)
  }
}
