import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { fieldFaults } from '../field-faults.ts'
import {
  callbackSchema,
  callbacksQuerySchema,
  callbackWithLogSchema,
  replayCallbacksSchema,
  replayResultSchema,
} from './callback.ts'

const id = '01890000-0000-7000-8000-000000000001'

type StoredCallback = z.input<typeof callbackSchema>

function aCallback(detail: Partial<StoredCallback> = {}): StoredCallback {
  return {
    callbackId: id,
    jobId: 'job-1',
    sequence: 2,
    kind: 'status',
    jobStatus: 'DESPATCHED',
    status: 'DUE',
    reason: null,
    origin: 'https://consumer.example',
    attempts: 0,
    replays: 0,
    createdAt: new Date('2026-03-04T05:06:07Z'),
    nextAttemptAt: new Date('2026-03-04T05:06:08Z'),
    windowEndsAt: null,
    endedAt: null,
    ...detail,
  }
}

test('a callback is rendered with the values that are known', () => {
  const ended = {
    status: 'DEAD',
    reason: 'window-ended',
    nextAttemptAt: null,
    windowEndsAt: new Date('2026-03-04T08:06:07Z'),
    endedAt: new Date('2026-03-04T08:06:09Z'),
  } as const
  const rendered = {
    callbackId: id,
    jobId: 'job-1',
    sequence: 2,
    kind: 'status',
    jobStatus: 'DESPATCHED',
    origin: 'https://consumer.example',
    attempts: 0,
    replays: 0,
    createdAt: '2026-03-04T05:06:07.000Z',
  }

  expect(callbackSchema.decode(aCallback())).toEqual({
    ...rendered,
    status: 'DUE',
    nextAttemptAt: '2026-03-04T05:06:08.000Z',
  })
  expect(callbackSchema.decode(aCallback(ended))).toEqual({
    ...rendered,
    status: 'DEAD',
    reason: 'window-ended',
    windowEndsAt: '2026-03-04T08:06:07.000Z',
    endedAt: '2026-03-04T08:06:09.000Z',
  })
})

test('a callback is rendered with its message and every attempt, without unknown values', () => {
  const message = Buffer.from('{"id":"x","data":{"jobId":"job-1"}}')
  const at = new Date('2026-03-04T05:06:08Z')
  const times = { plannedAt: at, startedAt: at, durationMs: 12 }
  const nothing = { httpStatus: null, failure: null, address: null, answer: null }
  const late = { number: 1, outcome: 'timeout', detail: 'No answer.' } as const
  const refused = {
    number: 2,
    outcome: 'refused',
    httpStatus: 500,
    failure: 'TypeError',
    address: '93.184.216.34',
    detail: 'The receiver answered 500.',
  } as const
  const log = [
    { ...times, ...nothing, ...late, nextAttemptAt: null },
    { ...times, ...refused, answer: Buffer.from([0x6e, 0x6f, 0xff]), nextAttemptAt: at },
  ]

  const time = at.toISOString()
  const rendered = { plannedAt: time, startedAt: time, durationMs: 12 }
  expect(callbackWithLogSchema.decode({ ...aCallback(), message, log })).toEqual({
    ...callbackSchema.decode(aCallback()),
    message: { id: 'x', data: { jobId: 'job-1' } },
    log: [
      { ...rendered, ...late },
      { ...rendered, ...refused, answer: 'no\ufffd', nextAttemptAt: time },
    ],
  })
})

test('a dry run returns its counts, and the times of callbacks if there are any', () => {
  const at = new Date('2026-03-04T05:06:07Z')
  const times = { oldest: at.toISOString(), newest: at.toISOString() }
  const of = (count: number, time: Date | null) =>
    replayResultSchema.decode({ dryRun: true, count, oldest: time, newest: time })

  expect(of(0, null)).toEqual({ dryRun: true, count: 0 })
  expect(of(2, at)).toEqual({ dryRun: true, count: 2, ...times })
})

describe('a replay of many callbacks', () => {
  const faultsOf = (body: unknown) => {
    const result = replayCallbacksSchema.safeParse(body)
    return fieldFaults(result.error?.issues ?? [], body)
  }

  test.each([
    [{ dryRun: true }, { status: 'DEAD', dryRun: true }],
    [{ expectedCount: 0 }, { status: 'DEAD', dryRun: false, expectedCount: 0 }],
    [
      { expectedCount: 100_000, status: 'DELIVERED' },
      { status: 'DELIVERED', dryRun: false, expectedCount: 100_000 },
    ],
  ])('reads %j as %j', (body, expected) => {
    expect(replayCallbacksSchema.parse(body)).toEqual(expected)
  })

  test('requires expectedCount without dryRun', () => {
    expect(faultsOf({})).toEqual([
      {
        field: 'expectedCount',
        code: 'NotNull',
        detail: 'expectedCount must be the count of a dry run; ask with dryRun first',
      },
    ])
  })

  test.each<[body: object, field: string, code: string]>([
    [{ expectedCount: -1 }, 'expectedCount', 'Min'],
    [{ expectedCount: 1.5 }, 'expectedCount', 'TypeMismatch'],
    [{ expectedCount: 100_001 }, 'expectedCount', 'Max'],
    [{ dryRun: true, createdFrom: '2026-03-04' }, 'createdFrom', 'Pattern'],
    [{ dryRun: true, createdTo: '2026-03-04T05:06:07' }, 'createdTo', 'Pattern'],
  ])('refuses %j: %s %s', (body, field, code) => {
    expect(faultsOf(body)).toMatchObject([{ field, code }])
  })
})

test.each<[query: object, field: string, code: string]>([
  [{ cursor: 'abc' }, 'cursor', 'Pattern'],
  [{ cursor: '' }, 'cursor', 'NotEmpty'],
  [{ cursor: '9'.repeat(19) }, 'cursor', 'Size'],
  [{ limit: '0' }, 'limit', 'Pattern'],
  [{ limit: '101' }, 'limit', 'Pattern'],
  [{ jobId: 'x'.repeat(256) }, 'jobId', 'Size'],
])('a list of callbacks refuses %j: %s %s', (query, field, code) => {
  const result = callbacksQuerySchema.safeParse(query)

  expect(fieldFaults(result.error?.issues ?? [], query)).toMatchObject([{ field, code }])
})
