import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AttemptOutcome } from './attempt-outcome.ts'
import { countsForOrigin, initialHealth, isFailureOfOrigin, recordCalls } from './breaker.ts'
import type { OriginHealth } from './origin-health.ts'
import type { AttemptResult } from './retry.ts'

const start = new Date('2026-03-02T10:00:00.000Z')
const minute = start.getTime() / 60_000
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000)

/** Calls one second apart, the first at `from`. F: failed, S: succeeded. */
const calls = (outcomes: string, from = 0) =>
  [...outcomes].map((outcome, i) => ({ at: after(from + i), isFailure: outcome === 'F' }))
const record = (health: OriginHealth, outcomes: string, from = 0) =>
  recordCalls(health, calls(outcomes, from), after(from + outcomes.length))

const judged: [outcomes: string, breaker: OriginHealth['breaker']][] = [
  ['', 'closed'],
  ['S', 'closed'],
  ['FFFFFFFFF', 'closed'],
  ['FFFFFFFFFF', 'open'],
  ['FFFFFFFFFS', 'closed'],
  ['FFFFFFFFFSF', 'open'],
  ['SFFFFFFFF', 'closed'],
  ['FFFFSFFFF', 'closed'],
  ['SFSFSFFFFF', 'closed'],
  ['SSSFFFFFFF', 'closed'],
  ['SSFFFFFFFF', 'open'],
  ['SSSFFFFFFFF', 'open'],
  ['FFFFFFSFSSS', 'closed'],
  ['SSSSSSSSSSSSFFFFFFFFF', 'closed'],
  ['SSSSSSSSSSSSFFFFFFFFFF', 'open'],
]

test.for(judged)('after %s the breaker is %s', ([outcomes, breaker]) => {
  expect(record(initialHealth, outcomes).breaker).toBe(breaker)
})

test('counts calls by the minute, and failures in a row', () => {
  expect(record(initialHealth, 'SFFSF', 57)).toEqual({
    breaker: 'closed',
    breakerUntil: null,
    failuresInRow: 1,
    minutes: [
      { minute, calls: 3, failures: 2 },
      { minute: minute + 1, calls: 2, failures: 1 },
    ],
  })
})

test('stays open for 30 s from the recording of the calls', () => {
  expect(recordCalls(initialHealth, calls('FFFFFFFFFF'), after(12))).toEqual({
    breaker: 'open',
    breakerUntil: after(42),
    failuresInRow: 10,
    minutes: [{ minute, calls: 10, failures: 10 }],
  })
})

test('forgets calls after five minutes, but not failures in a row', () => {
  const failing = record(initialHealth, 'SFFFFFFFF')

  expect(record(failing, 'S', 298)).toMatchObject({ breaker: 'closed', failuresInRow: 0 })
  expect(record(failing, 'F', 298)).toMatchObject({ breaker: 'open' })
  expect(record(failing, 'F', 300)).toEqual({
    breaker: 'closed',
    breakerUntil: null,
    failuresInRow: 9,
    minutes: [{ minute: minute + 5, calls: 1, failures: 1 }],
  })
  expect(record(failing, 'FF', 300)).toMatchObject({ breaker: 'open', failuresInRow: 10 })
})

test('a late record of a call counts for the minute of the call', () => {
  const health = record(initialHealth, 'S', 130)
  const late = { at: after(59), isFailure: true }

  expect(recordCalls(health, [late], after(131)).minutes).toEqual([
    { minute, calls: 1, failures: 1 },
    { minute: minute + 2, calls: 1, failures: 0 },
  ])
  expect(recordCalls(health, [late], after(300)).minutes).toEqual([
    { minute: minute + 2, calls: 1, failures: 0 },
  ])
})

describe('an open breaker', () => {
  const open = recordCalls(initialHealth, calls('FFFFFFFFFF'), after(10))

  test.for(['S', 'F', 'SSSSSSSSSSSS'])('ignores %s of calls made before', (outcomes) => {
    expect(record(open, outcomes, 12)).toMatchObject({ breaker: 'open', breakerUntil: after(40) })
  })
})

describe('a half-open breaker', () => {
  const open = recordCalls(initialHealth, calls('FFFFFFFFFF'), after(10))
  const halfOpen: OriginHealth = { ...open, breaker: 'half-open', breakerUntil: after(60) }

  test('closes after a success, and forgets earlier calls', () => {
    expect(record(halfOpen, 'S', 44)).toEqual(initialHealth)
  })

  test('opens for another 30 s after a failure', () => {
    expect(record(halfOpen, 'F', 44)).toEqual({
      breaker: 'open',
      breakerUntil: after(75),
      failuresInRow: 11,
      minutes: [{ minute, calls: 11, failures: 11 }],
    })
  })

  test('follows the first of several calls', () => {
    expect(record(halfOpen, 'FS', 44)).toMatchObject({ breaker: 'open', breakerUntil: after(76) })
    expect(record(halfOpen, 'SF', 44)).toMatchObject({ breaker: 'closed', failuresInRow: 1 })
  })
})

test('keeps at most five minutes of calls, and an end time unless closed', () => {
  const call = fc.record({ seconds: fc.nat(90), isFailure: fc.boolean() })
  fc.assert(
    fc.property(fc.array(call, { maxLength: 200 }), (made) => {
      let health: OriginHealth = initialHealth
      let seconds = 0
      for (const one of made) {
        seconds += one.seconds
        const call = { at: after(seconds), isFailure: one.isFailure }
        health = recordCalls(health, [call], after(seconds))

        expect(health.minutes.length).toBeLessThanOrEqual(5)
        expect(health.breakerUntil === null).toBe(health.breaker === 'closed')
      }
    }),
  )
})

const results: [result: AttemptResult, isFailure: boolean][] = [
  [{ kind: 'answered', httpStatus: 199 }, true],
  [{ kind: 'answered', httpStatus: 200 }, false],
  [{ kind: 'answered', httpStatus: 299 }, false],
  [{ kind: 'answered', httpStatus: 301 }, true],
  [{ kind: 'answered', httpStatus: 400 }, false],
  [{ kind: 'answered', httpStatus: 404 }, false],
  [{ kind: 'answered', httpStatus: 408 }, true],
  [{ kind: 'answered', httpStatus: 410 }, false],
  [{ kind: 'answered', httpStatus: 425 }, true],
  [{ kind: 'answered', httpStatus: 429 }, true],
  [{ kind: 'answered', httpStatus: 300 }, true],
  [{ kind: 'answered', httpStatus: 399 }, true],
  [{ kind: 'answered', httpStatus: 499 }, false],
  [{ kind: 'answered', httpStatus: 500 }, true],
  [{ kind: 'answered', httpStatus: 503 }, true],
  [{ kind: 'unreached' }, true],
  [{ kind: 'unknown' }, true],
  [{ kind: 'unsendable' }, false],
  [{ kind: 'fault' }, false],
]

test.for(results)('%j is a failure of the origin: %s', ([result, isFailure]) => {
  expect(isFailureOfOrigin(result)).toBe(isFailure)
})

const outcomes: [result: AttemptResult, outcome: AttemptOutcome, counts: boolean][] = [
  [{ kind: 'answered', httpStatus: 204 }, 'delivered', true],
  [{ kind: 'answered', httpStatus: 503 }, 'refused', true],
  [{ kind: 'unreached' }, 'connection_refused', true],
  [{ kind: 'unreached' }, 'dns_error', true],
  [{ kind: 'unreached' }, 'blocked_address', false],
  [{ kind: 'unknown' }, 'timeout', true],
  [{ kind: 'fault' }, 'dns_error', false],
  [{ kind: 'unsendable' }, 'unsendable', false],
]

test.for(outcomes)('%j, %s, counts for the origin: %s', ([result, outcome, counts]) => {
  expect(countsForOrigin({ result, outcome })).toBe(counts)
})
