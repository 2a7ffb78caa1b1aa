import { expect, test } from 'vitest'
import { decideRestart } from './restart-policy.ts'

test.each([
  { failures: 0, afterMs: 0 },
  { failures: 1, afterMs: 1_000 },
  { failures: 4, afterMs: 30_000 },
])('restarts after $afterMs ms when $failures restarts failed before', ({ failures, afterMs }) => {
  expect(decideRestart(failures, { ranMs: 10, shortOfRoom: false })).toEqual({
    kind: 'restart',
    afterMs,
    failures: failures + 1,
  })
})

test('gives up after the last pause', () => {
  expect(decideRestart(5, { ranMs: 10, shortOfRoom: false })).toEqual({
    kind: 'give-up',
    failures: 5,
  })
})

test('forgets earlier failures of a server that ran for a minute', () => {
  expect(decideRestart(5, { ranMs: 60_000, shortOfRoom: false })).toEqual({
    kind: 'restart',
    afterMs: 0,
    failures: 1,
  })
})

test('waits for room on the disk without counting', () => {
  expect(decideRestart(5, { ranMs: 10, shortOfRoom: true })).toEqual({
    kind: 'restart',
    afterMs: 2_000,
    failures: 5,
  })
})
