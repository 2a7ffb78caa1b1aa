import type { Dispatcher } from 'undici'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ForbiddenAddress, NotConnected } from './connect.ts'
import { type OutboundAnswer, OutboundAttempt } from './outbound-attempt.ts'
import { NotResolved } from './resolve.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function anAttempt() {
  const answers: OutboundAnswer[] = []
  const aborts: unknown[] = []
  const controller = { abort: (reason: Error) => void aborts.push(reason.message) }
  const attempt = new OutboundAttempt(15_000, (answer) => void answers.push(answer))
  return { attempt, answers, aborts, controller: controller as Dispatcher.DispatchController }
}

test('an attempt ends only once, despite later events', () => {
  const { attempt, answers, controller } = anAttempt()
  attempt.onRequestStart(controller)
  attempt.onResponseStart(controller, 204, {})

  attempt.onResponseEnd()
  attempt.onResponseError(controller, new Error('late'))
  vi.advanceTimersByTime(20_000)

  expect(answers).toEqual([{ result: { kind: 'answered', httpStatus: 204 }, outcome: 'delivered' }])
})

test('a process that resumes after a freeze sends no call past its deadline', () => {
  const { attempt, answers, aborts, controller } = anAttempt()
  // The time passes, and no timer has fired yet.
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 40_000)

  attempt.onRequestStart(controller)

  expect(aborts).toEqual(['too late'])
  expect(answers).toEqual([
    { result: { kind: 'unreached' }, outcome: 'timeout', failure: 'deadline-unsent' },
  ])
})

const notSent: [error: Error, kind: string, outcome: string][] = [
  [
    new NotConnected(new NotResolved('ENOTFOUND'), { isConnected: false }),
    'unreached',
    'dns_error',
  ],
  [new NotConnected(new NotResolved('ESERVFAIL'), { isConnected: false }), 'fault', 'dns_error'],
  [
    new NotConnected(new ForbiddenAddress(), { isConnected: false }),
    'unreached',
    'blocked_address',
  ],
  [notConnected('EMFILE'), 'fault', 'connection_failed'],
  [notConnected('EADDRNOTAVAIL'), 'fault', 'connection_failed'],
  [notConnected('UND_ERR_CONNECT_TIMEOUT'), 'unreached', 'timeout'],
  [notConnected('ECONNREFUSED'), 'unreached', 'connection_refused'],
  [notConnected('EHOSTUNREACH'), 'unreached', 'connection_failed'],
  [notConnected('ECONNRESET', true), 'unreached', 'tls_error'],
  [notConnected('CERT_HAS_EXPIRED', true), 'unreached', 'tls_error'],
  [new Error('a client that is closed'), 'fault', 'connection_failed'],
]

test.for(notSent)('%s is %s, %s', ([error, kind, outcome]) => {
  const { attempt, answers } = anAttempt()

  attempt.onResponseError(null, error)

  expect(answers).toMatchObject([{ result: { kind }, outcome }])
})

function notConnected(code: string, isConnected = false): NotConnected {
  return new NotConnected(Object.assign(new Error(code), { code }), { isConnected })
}
