import { createSecretKey } from 'node:crypto'
import { mayCall } from '@despatch/domain/callback/may-call'
import type { TakenCallback } from '@despatch/store/callback/lease'
import type { CallbackRecord } from '@despatch/store/callback/record'
import { createLogger } from '@despatch/telemetry/logger'
import { noTracing } from '@despatch/telemetry/tracing'
import { recordedSpans } from '@despatch/testing/recorded-spans'
import { expect, test } from 'vitest'
import type { OutboundCall } from '../outbound/outbound.ts'
import type { OutboundAnswer } from '../outbound/outbound-attempt.ts'
import { type DeliverContext, deliver } from './deliver.ts'
import type { OriginCall } from './origin-calls.ts'

const taken: TakenCallback = {
  id: 'callback-1',
  batch: 'batch-1',
  atOnce: 1,
  epoch: 3,
  consumerId: 'consumer-1',
  printJobKey: 'print-job-1',
  kind: 'status',
  sequence: 2,
  body: Buffer.from('{"a":1}'),
  origin: 'https://example.com',
  attempts: 4,
  attemptsBefore: 3,
  owedSince: new Date('2026-03-02T10:00:00.000Z'),
  firstAttemptAt: new Date('2026-03-02T10:00:10.000Z'),
  windowEndsAt: new Date('2026-03-02T10:01:10.000Z'),
  plannedAt: new Date('2026-03-02T10:00:11.000Z'),
  takenAt: new Date('2026-03-02T10:00:11.500Z'),
  retryParams: { enabled: true, maxRetryWindow: 60 },
  destinationSealed: Buffer.from('sealed'),
  correlationId: 'correlation-1',
  traceContext: null,
}
const destination = {
  target: 'https://example.com/status?token=SECRET-1',
  authenticationHeader: 'Bearer SECRET-2',
}
const delivered: OutboundAnswer = {
  result: { kind: 'answered', httpStatus: 204 },
  outcome: 'delivered',
  address: '93.184.216.34',
}

/** A consumer that answers as the test says, and a store that remembers what is written. */
function aContext(given: Partial<DeliverContext> & { answer?: OutboundAnswer } = {}) {
  const { answer = delivered, ...others } = given
  const calls: OutboundCall[] = []
  const records: CallbackRecord[] = []
  const noted: OriginCall[] = []
  const observed: unknown[] = []
  const told: boolean[] = []
  const lines: Record<string, unknown>[] = []
  const context: DeliverContext = {
    outbound: {
      post: async (call) => {
        calls.push(call)
        return answer
      },
      close: async () => {},
    },
    mayCall: (target) => mayCall(target, []),
    openDestination: () => destination,
    secretsOf: async () => [],
    record: async (record) => {
      records.push(record)
      return true
    },
    noteCall: (call) => void noted.push(call),
    leaseMs: 20_000,
    callMsMax: 15_000,
    random: () => 0.5,
    metrics: {
      taken: () => {},
      started: (latenessMs) => void observed.push(latenessMs >= 500 && latenessMs < 60_000),
      ended: ({ outcome, isAmbiguous }) => void observed.push([outcome, isAmbiguous]),
    },
    tracing: noTracing,
    log: createLogger({
      service: 'test',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    ...others,
  }
  const run = (callback: Partial<TakenCallback> = {}, askedAt = performance.now()) =>
    deliver(
      context,
      { ...taken, ...callback },
      {
        requestedAt: askedAt,
        heardAt: performance.now(),
        answered: (isFailure) => void told.push(isFailure),
      },
    )
  return { run, calls, records, noted, observed, told, lines }
}

const withRetryAt = { kind: 'retry', at: expect.any(Date) }

test("calls the target once with the consumer's header, and records the delivery", async () => {
  const { run, calls, records, noted, observed, told } = aContext()

  await run()

  expect(calls).toEqual([
    {
      consumerId: 'consumer-1',
      origin: 'https://example.com',
      path: '/status?token=SECRET-1',
      headers: [
        ...['content-type', 'application/json'],
        ...['user-agent', 'despatch-callbacks'],
        ...['accept-encoding', 'identity'],
        ...['webhook-id', 'callback-1'],
        ...['webhook-timestamp', '1772445611'],
        ...['x-correlation-id', 'correlation-1'],
        ...['authorization', 'Bearer SECRET-2'],
      ],
      body: Buffer.from('{"a":1}'),
    },
  ])
  expect(records).toEqual([
    {
      id: 'callback-1',
      epoch: 3,
      attempt: {
        number: 5,
        plannedAt: new Date('2026-03-02T10:00:11.000Z'),
        startedAt: expect.any(Date),
        durationMs: expect.any(Number),
        outcome: 'delivered',
        httpStatus: 204,
        address: '93.184.216.34',
      },
      next: { kind: 'delivered' },
      windowEndsAt: new Date('2026-03-02T10:01:10.000Z'),
    },
  ])
  expect(noted).toEqual([
    {
      origin: 'https://example.com',
      at: expect.any(Date),
      outcome: 'delivered',
      isFailure: false,
    },
  ])
  expect([observed, told]).toEqual([[true, ['delivered', false]], [false]])
})

test('signs with the consumer’s secrets, and sends no Authorization without an authentication header', async () => {
  const { run, calls } = aContext({
    openDestination: () => ({ target: 'https://example.com/' }),
    secretsOf: async () =>
      [Buffer.from('one'), Buffer.from('two')].map((key) => createSecretKey(key)),
  })

  await run()

  const headers = calls[0]!.headers
  expect(headers[headers.indexOf('webhook-signature') + 1]).toMatch(/^v1,\S{44} v1,\S{44}$/)
  expect(headers).not.toContain('authorization')
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceContext = `00-${traceId}-00f067aa0ba902b7-01`
const traceparentOf = ([call]: OutboundCall[]) => {
  const { headers } = call!
  const at = headers.indexOf('traceparent')
  return at < 0 ? undefined : headers[at + 1]
}

test.each([
  [traceContext, traceContext],
  [null, undefined],
])('with tracing off, a print job with the trace %s sends %s', async (given, sent) => {
  const { run, calls } = aContext()

  await run({ traceContext: given })

  expect(traceparentOf(calls)).toBe(sent)
})

test('an attempt is a span in the trace of its print job, and the receiver can continue the trace', async () => {
  const { tracing, spans, everything } = recordedSpans()
  const { run, calls, lines } = aContext({ tracing })

  await run({ traceContext })

  expect(spans).toEqual([
    {
      name: 'callback.attempt',
      traceId,
      spanId: expect.any(String),
      parentSpanId: '00f067aa0ba902b7',
      links: [],
      facts: {
        'http.request.method': 'POST',
        'despatch.callback.id': 'callback-1',
        'despatch.callback.sequence': 2,
        'despatch.callback.attempt': 5,
        'despatch.print_job.key': 'print-job-1',
        'despatch.outcome': 'delivered',
        'despatch.next': 'delivered',
        'http.response.status_code': 204,
      },
    },
  ])
  expect(traceparentOf(calls)).toBe(`00-${traceId}-${spans[0]?.spanId}-01`)
  expect(lines.map((line) => line.traceId)).toEqual([traceId])
  for (const secret of ['SECRET', 'example.com', '93.184.216.34']) {
    expect(everything()).not.toContain(secret)
  }
})

test.each<[string, Partial<DeliverContext> & { answer?: OutboundAnswer }, string]>([
  [
    'that is refused',
    { answer: { result: { kind: 'answered', httpStatus: 500 }, outcome: 'refused' } },
    'refused',
  ],
  [
    'that cannot be made because of a fault of ours',
    { secretsOf: () => Promise.reject(new Error('SECRET')) },
    'postponed',
  ],
])('the span of an attempt %s ends as failed', async (_case, given, failure) => {
  const { tracing, spans, everything } = recordedSpans()
  const { run } = aContext({ tracing, ...given })

  await run({ traceContext })

  expect(spans.map(({ facts }) => facts['error.type'])).toEqual([failure])
  expect(everything()).not.toContain('SECRET')
})

test('the span of an attempt that cannot be recorded ends too', async () => {
  const { tracing, spans } = recordedSpans()
  const { run } = aContext({
    tracing,
    leaseMs: 0,
    record: () => Promise.reject(new Error('SECRET')),
  })

  await expect(run({ traceContext })).rejects.toThrow()

  expect(spans.map(({ facts }) => facts['error.type'])).toEqual(['fault'])
})

test('the first attempt of a round starts its window, and its delays begin again', async () => {
  const { run, records } = aContext({
    answer: { result: { kind: 'answered', httpStatus: 500 }, outcome: 'refused' },
  })

  await run({ attempts: 3, firstAttemptAt: null, windowEndsAt: null })

  const { attempt, next, windowEndsAt } = records[0]!
  const { startedAt, durationMs } = attempt!
  expect(windowEndsAt).toEqual(new Date(startedAt.getTime() + 60_000))
  const aSecondLater = new Date(startedAt.getTime() + durationMs + 1_000)
  expect(next).toEqual({ kind: 'retry', at: aSecondLater })
})

test('stores the response without the credentials of the call', async () => {
  const { run, records } = aContext({
    answer: { ...delivered, body: Buffer.from('ok SECRET-1 SECRET-2') },
  })

  await run()

  expect(Buffer.from(records[0]!.attempt!.answer!).toString()).toBe('ok ******** ********')
})

test('logs the failure and the class of error, without target or credentials', async () => {
  const { run, records, noted, lines } = aContext({
    answer: {
      result: { kind: 'unreached' },
      outcome: 'connection_refused',
      failure: 'ECONNREFUSED',
    },
  })

  await run()

  expect(records).toMatchObject([
    { attempt: { outcome: 'connection_refused', failure: 'ECONNREFUSED' }, next: withRetryAt },
  ])
  expect(noted).toMatchObject([{ outcome: 'connection_refused', isFailure: true }])
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      service: 'test',
      callbackId: 'callback-1',
      printJobKey: 'print-job-1',
      sequence: 2,
      attempt: 5,
      outcome: 'connection_refused',
      failure: 'ECONNREFUSED',
      durationMs: expect.any(Number),
      next: 'retry',
      msg: 'callback.attempted',
    },
  ])
  expect(JSON.stringify(lines)).not.toMatch(/SECRET|example/)
})

const judged: [answer: OutboundAnswer, noted: boolean[], observed: unknown][] = [
  [{ result: { kind: 'unknown' }, outcome: 'timeout' }, [true], ['timeout', true]],
  [{ result: { kind: 'unknown' }, outcome: 'unknown' }, [true], ['unknown', true]],
  [{ result: { kind: 'unreached' }, outcome: 'timeout' }, [true], ['timeout', false]],
  [{ result: { kind: 'unreached' }, outcome: 'blocked_address' }, [], ['blocked_address', false]],
  [{ result: { kind: 'unsendable' }, outcome: 'unsendable' }, [], ['unsendable', false]],
  [
    { result: { kind: 'answered', httpStatus: 404 }, outcome: 'refused' },
    [false],
    ['refused', false],
  ],
  [{ result: { kind: 'fault' }, outcome: 'dns_error' }, [], ['postponed', false]],
]

test.for(judged)(
  'the answer %j is a failure of the origin %j, observed as %j',
  async ([answer, ...wanted]) => {
    const { run, noted, observed } = aContext({ answer })

    await run()

    expect([noted.map(({ isFailure }) => isFailure), observed.at(-1)]).toEqual(wanted)
  },
)

test('abandons a callback with a forbidden target, without a call', async () => {
  const { run, calls, records, noted, lines } = aContext({
    openDestination: () => ({ target: 'http://127.0.0.1/status' }),
  })

  await run()

  expect([calls, noted]).toEqual([[], []])
  expect(records).toMatchObject([
    {
      attempt: { outcome: 'unsendable', failure: 'target address' },
      next: { kind: 'abandon', reason: 'unsendable' },
    },
  ])
  expect(lines).toMatchObject([{ next: 'abandon', reason: 'unsendable' }])
})

const faults: [name: string, given: Partial<DeliverContext>, failure: string][] = [
  [
    'a destination that no key opens',
    {
      openDestination: () => {
        throw new Error('another key')
      },
    },
    'unseal',
  ],
  [
    'secrets that cannot be read',
    { secretsOf: () => Promise.reject(new Error('away')) },
    'secrets',
  ],
]

test.for(faults)(
  '%s is a fault of ours, which makes no call and uses up no attempt',
  async ([, given, failure]) => {
    const { run, calls, records, lines } = aContext(given)

    await run()

    expect(calls).toEqual([])
    expect(records).toEqual([
      {
        id: 'callback-1',
        epoch: 3,
        next: { kind: 'postpone', at: expect.any(Date) },
        windowEndsAt: taken.windowEndsAt,
      },
    ])
    expect(lines).toMatchObject([{ msg: 'callback.not-attempted', failure, next: 'postpone' }])
  },
)

test('makes no call when the process resumes late, because another may have taken the callback', async () => {
  const { run, calls, records } = aContext()

  await run({}, performance.now() - 5_001)

  expect(calls).toEqual([])
  expect(records).toMatchObject([{ next: { kind: 'postpone' } }])
})

test('a delivery has its own log line only if the line names a trace', async () => {
  const { tracing } = recordedSpans()
  const untraced = aContext()
  const traced = aContext({ tracing })

  await untraced.run()
  await traced.run()

  expect(untraced.lines).toEqual([])
  expect(traced.lines).toMatchObject([{ msg: 'callback.attempted', outcome: 'delivered' }])
})

test('reports that another process has taken the callback in the meantime', async () => {
  const { run, lines } = aContext({ record: async () => false })

  await run()

  expect(lines).toMatchObject([{ outcome: 'delivered', next: 'overtaken' }])
})

test('a short database outage does not lose the response of the consumer', async () => {
  const written: CallbackRecord[] = []
  let failures = 1
  const { run } = aContext({
    record: async (record) => {
      if (failures-- > 0) throw new Error('database is away')
      written.push(record)
      return true
    },
  })

  await run()

  expect(written).toMatchObject([{ next: { kind: 'delivered' } }])
})

test('records nothing after its lease has ended', async () => {
  const { run } = aContext({ record: () => Promise.reject(new Error('database is away')) })

  await expect(run({}, performance.now() - 19_600)).rejects.toThrow('database is away')
})
