import type { CallbackRecord, TakenCallback } from '@despatch/store/callback/callbacks'
import { createLogger } from '@despatch/telemetry/logger'
import { expect, test } from 'vitest'
import { type DeliverContext, deliver } from './deliver.ts'
import type { OutboundAnswer, OutboundCall } from './outbound.ts'

const taken: TakenCallback = {
  id: 'callback-1',
  epoch: 3,
  printJobKey: 'print-job-1',
  sequence: 2,
  body: Buffer.from('{"a":1}'),
  attempts: 1,
  createdAt: new Date('2026-03-02T10:00:00.000Z'),
  firstAttemptAt: new Date('2026-03-02T10:00:10.000Z'),
  plannedAt: new Date('2026-03-02T10:00:11.000Z'),
  takenAt: new Date('2026-03-02T10:00:11.500Z'),
  callbackParams: {
    target: 'https://example.com/status?token=SECRET',
    retryParams: { enabled: true, maxRetryWindow: 60 },
  },
  authenticationSealed: Buffer.from('sealed'),
  correlationId: 'correlation-1',
  isGone: false,
}

/** A consumer that answers as told, and a store that remembers what it was told to write. */
function aContext(
  given: Partial<DeliverContext> = {},
  callback: TakenCallback | undefined = taken,
) {
  const calls: OutboundCall[] = []
  const records: CallbackRecord[] = []
  const lines: Record<string, unknown>[] = []
  const answer: OutboundAnswer = { result: { kind: 'answered', httpStatus: 204 } }
  const context: DeliverContext = {
    commits: {
      take: async () => callback,
      record: async (record) => {
        records.push(record)
        return true
      },
    },
    outbound: {
      post: async (call) => {
        calls.push(call)
        return answer
      },
      close: async () => {},
    },
    slots: { enter: async () => ({ kind: 'admitted', leave: () => {} }) },
    allowed: [],
    unseal: () => 'Bearer SECRET',
    leaseMs: 20_000,
    callMsMax: 15_000,
    random: () => 0.5,
    metrics: { observe: () => {} },
    log: createLogger({
      service: 'test',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    ...given,
  }
  return { context, calls, records, lines }
}

const postTo = (answer: OutboundAnswer): Partial<DeliverContext> => ({
  outbound: { post: async () => answer, close: async () => {} },
})

test('calls the target as the consumer asked, once, and records the delivery', async () => {
  const { context, calls, records } = aContext()

  await deliver(context, 'callback-1')

  expect(calls).toEqual([
    {
      origin: 'https://example.com',
      path: '/status?token=SECRET',
      headers: {
        authorization: 'Bearer SECRET',
        'content-type': 'application/json',
        'user-agent': 'despatch-callbacks',
        'webhook-id': 'callback-1',
        'x-correlation-id': 'correlation-1',
      },
      body: Buffer.from('{"a":1}'),
    },
  ])
  expect(records).toEqual([
    {
      id: 'callback-1',
      epoch: 3,
      attempt: {
        number: 2,
        plannedAt: new Date('2026-03-02T10:00:11.000Z'),
        startedAt: expect.any(Date),
        durationMs: expect.any(Number),
        outcome: 'delivered',
        httpStatus: 204,
      },
      next: { kind: 'delivered' },
    },
  ])
})

test('sends no Authorization when the consumer gave none', async () => {
  const { context, calls } = aContext({}, { ...taken, authenticationSealed: null })

  await deliver(context, 'callback-1')

  expect(calls[0]?.headers).not.toHaveProperty('authorization')
})

test('writes the failure and the class of error to the log, and neither target nor credentials', async () => {
  const { context, records, lines } = aContext(
    postTo({ result: { kind: 'unreached' }, failure: 'ECONNREFUSED' }),
  )

  await deliver(context, 'callback-1')

  expect(records[0]).toMatchObject({ attempt: { outcome: 'unreached' }, next: { kind: 'retry' } })
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      service: 'test',
      callbackId: 'callback-1',
      printJobKey: 'print-job-1',
      sequence: 2,
      attempt: 2,
      outcome: 'unreached',
      failure: 'ECONNREFUSED',
      durationMs: expect.any(Number),
      next: 'retry',
      msg: 'callback.attempted',
    },
  ])
  expect(JSON.stringify(lines)).not.toMatch(/SECRET|example/)
})

test('does nothing when the callback is not to be had', async () => {
  const { context, calls, records, lines } = aContext()
  context.commits.take = async () => undefined

  await deliver(context, 'callback-1')

  expect([calls, records, lines]).toEqual([[], [], []])
})

test('ends a callback without a call once the consumer is gone', async () => {
  const { context, calls, records } = aContext({}, { ...taken, isGone: true })

  await deliver(context, 'callback-1')

  expect(calls).toEqual([])
  expect(records).toEqual([
    { id: 'callback-1', epoch: 3, next: { kind: 'abandon', reason: 'gone' } },
  ])
})

test('gives up on a target that may not be called, without calling it', async () => {
  const { context, calls, records } = aContext(
    {},
    { ...taken, callbackParams: { target: 'http://127.0.0.1/status' } },
  )

  await deliver(context, 'callback-1')

  expect(calls).toEqual([])
  expect(records[0]).toMatchObject({
    attempt: { outcome: 'unsendable' },
    next: { kind: 'abandon', reason: 'unsendable' },
  })
})

test('comes back later to a busy origin, within the window, and counts no attempt', async () => {
  const { context, calls, records } = aContext({
    slots: { enter: async () => ({ kind: 'busy', delayMs: 300_000 }) },
  })

  await deliver(context, 'callback-1')

  expect(calls).toEqual([])
  expect(records).toEqual([
    {
      id: 'callback-1',
      epoch: 3,
      next: { kind: 'postpone', at: new Date('2026-03-02T10:01:10.000Z') },
    },
  ])
})

test('a secret that cannot be opened is our fault: no call, no attempt used up', async () => {
  const { context, calls, records } = aContext({
    unseal: () => {
      throw new Error('another key')
    },
  })

  await deliver(context, 'callback-1')

  expect(calls).toEqual([])
  expect(records).toEqual([
    { id: 'callback-1', epoch: 3, next: { kind: 'postpone', at: expect.any(Date) } },
  ])
})

test('a worker that wakes up late makes no call: another may hold the callback by then', async () => {
  let left = 0
  const { context, calls, records } = aContext({
    leaseMs: 15_000,
    slots: { enter: async () => ({ kind: 'admitted', leave: () => void left++ }) },
  })

  await deliver(context, 'callback-1')

  expect([calls, records, left]).toEqual([[], [], 1])
})

test('gives its slot to the next call before it writes', async () => {
  const steps: string[] = []
  const { context } = aContext({
    slots: { enter: async () => ({ kind: 'admitted', leave: () => void steps.push('left') }) },
  })
  context.commits.record = async () => {
    steps.push('recorded')
    return true
  }

  await deliver(context, 'callback-1')

  expect(steps).toEqual(['left', 'recorded'])
})

test('leaves its slot whatever happens', async () => {
  let left = 0
  const { context } = aContext({
    slots: { enter: async () => ({ kind: 'admitted', leave: () => void left++ }) },
    outbound: { post: () => Promise.reject(new Error('never')), close: async () => {} },
  })

  await expect(deliver(context, 'callback-1')).rejects.toThrow('never')

  expect(left).toBe(1)
})

test('a database that is away for a moment does not lose what the consumer answered', async () => {
  const { context, records } = aContext()
  const { record } = context.commits
  let failures = 1
  context.commits.record = async (given) => {
    if (failures-- > 0) throw new Error('database is away')
    return record(given)
  }

  await deliver(context, 'callback-1')

  expect(records).toMatchObject([{ next: { kind: 'delivered' } }])
})
