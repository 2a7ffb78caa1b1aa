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

test('a due callback is rendered for its consumer', () => {
  expect(callbackSchema.decode(aCallback())).toEqual({
    callbackId: id,
    jobId: 'job-1',
    sequence: 2,
    kind: 'status',
    jobStatus: 'DESPATCHED',
    status: 'DUE',
    origin: 'https://consumer.example',
    attempts: 0,
    replays: 0,
    createdAt: '2026-03-04T05:06:07.000Z',
    nextAttemptAt: '2026-03-04T05:06:08.000Z',
  })
})

test('a dead callback has its reason and the end of its window', () => {
  expect(
    callbackSchema.decode(
      aCallback({
        status: 'DEAD',
        reason: 'window-ended',
        attempts: 4,
        nextAttemptAt: null,
        windowEndsAt: new Date('2026-03-04T08:06:07Z'),
        endedAt: new Date('2026-03-04T08:06:09Z'),
      }),
    ),
  ).toMatchObject({
    status: 'DEAD',
    reason: 'window-ended',
    attempts: 4,
    windowEndsAt: '2026-03-04T08:06:07.000Z',
    endedAt: '2026-03-04T08:06:09.000Z',
  })
})

test('a callback is rendered with its message and every attempt, without unknown values', () => {
  const message = Buffer.from('{"id":"x","data":{"jobId":"job-1"}}')
  const at = new Date('2026-03-04T05:06:08Z')
  const attempt = {
    number: 1,
    plannedAt: at,
    startedAt: at,
    durationMs: 12,
    outcome: 'timeout' as const,
    httpStatus: null,
    failure: null,
    address: null,
    answer: null,
    nextAttemptAt: null,
    detail: 'The receiver did not answer in time.',
  }
  const told = {
    number: 2,
    outcome: 'refused' as const,
    httpStatus: 500,
    failure: 'TypeError',
    address: '93.184.216.34',
    answer: Buffer.from([0x6e, 0x6f, 0xff]),
    nextAttemptAt: at,
    detail: 'The receiver answered 500.',
  }

  const log = [attempt, { ...attempt, ...told }]
  const rendered = callbackWithLogSchema.decode({ ...aCallback(), message, log })

  const common = {
    plannedAt: '2026-03-04T05:06:08.000Z',
    startedAt: '2026-03-04T05:06:08.000Z',
    durationMs: 12,
  }
  expect(rendered).toEqual({
    ...callbackSchema.decode(aCallback()),
    message: { id: 'x', data: { jobId: 'job-1' } },
    log: [
      {
        ...common,
        number: 1,
        outcome: 'timeout',
        detail: 'The receiver did not answer in time.',
      },
      {
        ...common,
        number: 2,
        outcome: 'refused',
        detail: 'The receiver answered 500.',
        httpStatus: 500,
        failure: 'TypeError',
        address: '93.184.216.34',
        answer: 'no\ufffd',
        nextAttemptAt: '2026-03-04T05:06:08.000Z',
      },
    ],
  })
})

test.each([
  [
    { count: 0, oldest: null, newest: null },
    { dryRun: true, count: 0 },
  ],
  [
    {
      count: 2,
      oldest: new Date('2026-03-04T05:06:07Z'),
      newest: new Date('2026-03-04T05:06:08Z'),
    },
    {
      dryRun: true,
      count: 2,
      oldest: '2026-03-04T05:06:07.000Z',
      newest: '2026-03-04T05:06:08.000Z',
    },
  ],
])('a dry run returns its counts: %j', (counted, expected) => {
  expect(replayResultSchema.decode({ dryRun: true, ...counted })).toEqual(expected)
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
      { expectedCount: 5, status: 'DELIVERED', jobId: 'job-1' },
      { status: 'DELIVERED', dryRun: false, expectedCount: 5, jobId: 'job-1' },
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
    [{ expectedCount: '1' }, 'expectedCount', 'TypeMismatch'],
    [{ dryRun: 'yes' }, 'dryRun', 'TypeMismatch'],
    [{ dryRun: true, status: 'dead' }, 'status', 'InvalidFormat'],
    [{ dryRun: true, reason: 'bored' }, 'reason', 'InvalidFormat'],
    [{ dryRun: true, jobId: '' }, 'jobId', 'NotEmpty'],
    [{ dryRun: true, createdFrom: '2026-03-04' }, 'createdFrom', 'Pattern'],
    [{ dryRun: true, createdTo: '2026-03-04T05:06:07' }, 'createdTo', 'Pattern'],
  ])('refuses %j: %s %s', (body, field, code) => {
    expect(faultsOf(body)).toMatchObject([{ field, code }])
  })
})

test.each<[query: object, field: string, code: string]>([
  [{ cursor: 'abc' }, 'cursor', 'Pattern'],
  [{ cursor: '-1' }, 'cursor', 'Pattern'],
  [{ cursor: '' }, 'cursor', 'NotEmpty'],
  [{ cursor: '9'.repeat(19) }, 'cursor', 'Size'],
  [{ limit: '0' }, 'limit', 'Pattern'],
  [{ limit: '101' }, 'limit', 'Pattern'],
  [{ status: 'FAILED' }, 'status', 'InvalidFormat'],
  [{ jobId: 'x'.repeat(256) }, 'jobId', 'Size'],
  [{ createdFrom: 'yesterday' }, 'createdFrom', 'Pattern'],
])('a list of callbacks refuses %j: %s %s', (query, field, code) => {
  const result = callbacksQuerySchema.safeParse(query)

  expect(fieldFaults(result.error?.issues ?? [], query)).toMatchObject([{ field, code }])
})
