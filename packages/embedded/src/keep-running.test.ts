import { expect, test } from 'vitest'
import { keepRunning } from './keep-running.ts'
import { decideRestart } from './restart-policy.ts'

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
