import type { QueueState } from '@despatch/queue/queues'
import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, onTestFinished, test, vi } from 'vitest'
import { watchQueues } from './queue-watch.ts'

const aState = (isPaused: boolean): QueueState => ({
  name: 'slow',
  isPaused,
  waiting: 7,
  active: 0,
  delayed: 0,
  failed: 0,
})

function aWatch(counts: () => Promise<QueueState[]>) {
  let nowMs = 0
  const registry = createMetrics('pipeline')
  const states = watchQueues({ counts, registry, clock: () => nowMs })
  return {
    states,
    pass: (ms: number) => {
      nowMs += ms
    },
    samples: async () =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('queue_paused{')),
  }
}

test('queues are counted again after two seconds, for all callers', async () => {
  let asked = 0
  const { states, pass, samples } = aWatch(async () => {
    asked += 1
    return [aState(asked > 1)]
  })

  expect(await states()).toEqual([aState(false)])
  pass(1_999)
  expect(await samples()).toEqual(['queue_paused{queue="slow",service="pipeline"} 0'])
  expect(asked).toBe(1)
  pass(1)
  expect(await samples()).toEqual(['queue_paused{queue="slow",service="pipeline"} 1'])
  expect(await states()).toEqual([aState(true)])
  expect(asked).toBe(2)
})

test('unavailable queues return nothing, and are counted again immediately', async () => {
  let isAway = true
  const { states, samples } = aWatch(async () => {
    if (isAway) throw new Error('no queue')
    return [aState(true)]
  })

  await expect(states()).rejects.toThrow('no queue')
  expect(await samples()).toEqual([])
  isAway = false
  expect(await states()).toEqual([aState(true)])
})

test('unresponsive queues delay a caller for at most a second', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { states } = aWatch(() => new Promise(() => {}))
  const asked = states()
  const refused = expect(asked).rejects.toThrow('no answer in 1000 ms')

  await vi.advanceTimersByTimeAsync(1_000)

  await refused
})
