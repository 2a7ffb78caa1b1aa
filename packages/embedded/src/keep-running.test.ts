import { expect, test } from 'vitest'
import { decideRestart, keepRunning } from './keep-running.ts'

const inMemory = { name: 'The server', isDiskFull: async () => false, log: () => {} }

/** Makes the same decisions, but without pauses. */
const atOnce: typeof decideRestart = (failures, failure) => {
  const next = decideRestart(failures, failure)
  return next.kind === 'restart' ? { ...next, afterMs: 0 } : next
}

function aServer() {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  return { ended, end, stop: async () => {} }
}

test('gives up a server that does not start again, and says why', async () => {
  const first = aServer()
  let starts = 0
  const again = async () => {
    starts += 1
    throw new Error('the data is damaged')
  }
  const kept = keepRunning({ ...inMemory, first, again, decide: atOnce })

  first.end('SIGKILL')

  expect((await kept.failed).message).toBe(
    'The server exited unexpectedly and could not be restarted: the data is damaged',
  )
  expect(starts).toBe(5)
  await kept.stop()
})

test('logs each reason once while the disk is full, and continues when there is space', async () => {
  const first = aServer()
  const lines: string[] = []
  const { promise: running, resolve: resolveRunning } = Promise.withResolvers<void>()
  let starts = 0
  const again = async () => {
    starts += 1
    if (starts < 20) throw new Error('No space left on device')
    resolveRunning()
    return aServer()
  }
  const kept = keepRunning({
    ...inMemory,
    first,
    again,
    isDiskFull: async () => true,
    log: (line) => void lines.push(line),
    decide: atOnce,
  })

  first.end('exit code 1')
  await running
  await kept.stop()

  expect(lines).toEqual([
    'The server exited unexpectedly: exit code 1',
    'No space left on device',
    'The server is running again',
  ])
})

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

test('gives up after the last allowed restart', () => {
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

test('waits for disk space without counting the failure', () => {
  expect(decideRestart(5, { ranMs: 10, shortOfRoom: true })).toEqual({
    kind: 'restart',
    afterMs: 2_000,
    failures: 5,
  })
})
