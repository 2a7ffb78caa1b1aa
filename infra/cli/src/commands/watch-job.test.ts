import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { expect, test } from 'vitest'
import type { ConsumerSession } from '../session.ts'
import { exitCodeOf, follow } from './watch-job.ts'

test.for<[PrintJobStatus | undefined, number]>([
  ['DESPATCHED', 0],
  ['REJECTED', 3],
  ['QUARANTINE', 4],
  ['VALIDATING', 4],
  ['PENDING', 4],
  ['PRODUCTION', 4],
  [undefined, 4],
])('watching ends at %s with %i', ([status, exitCode]) => {
  expect(exitCodeOf(status)).toBe(exitCode)
})

const event = (sequence: number, transition: string, status: PrintJobStatus) => ({
  sequence,
  transition,
  status,
  at: `2026-01-01T00:00:0${sequence}.000Z`,
  actor: 'test',
})
const events = [
  event(1, 'submit', 'QUARANTINE'),
  event(2, 'release', 'VALIDATING'),
  event(3, 'reject', 'REJECTED'),
]

/** A session in which a timeline grows by one event with each read. */
function growing() {
  const asked: string[] = []
  const send = async (_method: string, path: string) => {
    asked.push(path)
    return { id: 'job-1', events: events.slice(0, asked.length) }
  }
  return { asked, session: { send } as unknown as ConsumerSession }
}

const options = {
  pollMs: 1,
  deadline: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
}

test('each event is printed once, when it is found, until the status is final', async () => {
  const { session, asked } = growing()
  const printed: [afterReads: number, line: string][] = []

  const timeline = await follow(session, 'job/1', {
    ...options,
    print: (line) => printed.push([asked.length, line]),
  })

  expect(printed).toEqual([
    [1, '2026-01-01T00:00:01.000Z  QUARANTINE  submit by test'],
    [2, '2026-01-01T00:00:02.000Z  VALIDATING  release by test'],
    [3, '2026-01-01T00:00:03.000Z  REJECTED    reject by test'],
  ])
  expect(timeline).toEqual({ id: 'job-1', events, status: 'REJECTED' })
  expect(asked).toEqual(Array(3).fill('/print/jobs/job%2F1/events'))
})

test('it ends when the time is over, and when it is interrupted', async () => {
  const late = await follow(growing().session, 'job-1', {
    ...options,
    deadline: 0,
    print: () => {},
  })
  const interrupted = await follow(growing().session, 'job-1', {
    ...options,
    signal: AbortSignal.abort(),
    print: () => {},
  })

  expect([late.status, interrupted.status]).toEqual(['QUARANTINE', 'QUARANTINE'])
})
