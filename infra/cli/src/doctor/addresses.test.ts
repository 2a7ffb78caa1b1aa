import { expect, test } from 'vitest'
import { type AddressFacts, judgeAddress, judgeClock } from './addresses.ts'
import type { Finding } from './finding.ts'

const judge = (facts: AddressFacts) => judgeAddress('base address', '--base-url', facts)
const answer = (status: number, body: unknown): AddressFacts => ({
  kind: 'answers',
  status,
  body,
  differenceMs: undefined,
})

test.for<[what: string, facts: AddressFacts, state: Finding['state'], found: string]>([
  ['one that is ready', answer(200, { checks: [] }), 'good', 'it responds and is ready'],
  [
    'one that is not, with its reasons',
    answer(503, {
      checks: [
        { name: 'database', ok: false, reason: 'ECONNREFUSED' },
        { name: 'pipeline: relay', ok: false },
        { name: 'clock', ok: true },
      ],
    }),
    'bad',
    'it is not ready: database: ECONNREFUSED; pipeline: relay: not ok',
  ],
  [
    'not ready, and does not say why',
    answer(503, { status: 'not-ready' }),
    'bad',
    'it is not ready',
  ],
  ['something else', answer(404, undefined), 'bad', 'its /health/ready returns 404'],
  [
    'nobody',
    { kind: 'silent', reason: 'ECONNREFUSED' },
    'bad',
    'it does not respond (ECONNREFUSED)',
  ],
  ['no address', { kind: 'unreadable' }, 'bad', 'it is not an http or https address'],
])('an address: %s', ([, facts, state, found]) => {
  const [finding] = judge(facts)

  expect(finding).toMatchObject({ subject: 'base address', state, found })
  expect(finding?.mend === undefined).toBe(state === 'good')
})

test('a failing check has its own fix', () => {
  const checks = [
    { name: 'print-request: database', ok: false },
    { name: 'administration: database', ok: false },
    { name: 'pipeline: relay', ok: false },
  ]

  expect(judge(answer(503, { checks }))[0]?.mend).toBe(
    'check that PostgreSQL is running and that DATABASE_URL of the service is correct; check the log of pipeline: relay, and restart it if it is stuck',
  )
})

test('the clock of an address that sends its time is judged', () => {
  const [, clock] = judge({ kind: 'answers', status: 200, body: {}, differenceMs: -40_000 })

  expect(clock).toMatchObject({ subject: 'clock of the base address', state: 'bad' })
})

test.for<[differenceMs: number, state: Finding['state'], found: string]>([
  [0, 'good', 'the same as here'],
  [-1_499, 'good', 'the same as here'],
  [4_999, 'good', '5 s ahead'],
  [5_000, 'warning', '5 s ahead'],
  [-29_999, 'warning', '30 s behind'],
  [30_000, 'bad', '30 s ahead'],
])('a clock that is %i ms away', ([differenceMs, state, found]) => {
  expect(judgeClock('clock', differenceMs)).toMatchObject({ subject: 'clock', state, found })
})
