import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, test } from 'vitest'
import { watchStages } from './stage-watch.ts'

function aWatch() {
  let nowMs = Date.parse('2026-11-20T09:00:00Z')
  let waiting = 0
  let isPaused = false
  const registry = createMetrics('pipeline')
  const watch = watchStages({
    stages: ['letters', 'slow'],
    registry,
    queues: async () => {
      if (waiting < 0) throw new Error('no queue')
      return [
        { name: 'letters', isPaused: false, waiting: 0 },
        { name: 'slow', isPaused, waiting },
      ]
    },
    now: () => new Date(nowMs),
  })
  return {
    watch,
    setWaiting: (count: number) => {
      waiting = count
    },
    pause: () => {
      isPaused = true
    },
    pass: (seconds: number) => {
      nowMs += seconds * 1000
    },
    samples: async (name: string) =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith(name)),
  }
}

const fine = [
  { name: 'worker quarantine', ok: true },
  { name: 'worker validate', ok: true },
]

test('workers without work are fine, however long, and so is a task that has just come', async () => {
  const { watch, setWaiting, pass } = aWatch()
  pass(86_400)
  expect(await watch.health()).toEqual(fine)

  setWaiting(3)
  expect(await watch.health()).toEqual(fine)
  pass(120)
  expect(await watch.health()).toEqual(fine)
})

test('what waits in a paused queue is no fault of the worker', async () => {
  const { watch, setWaiting, pause, pass } = aWatch()
  setWaiting(3)
  pause()
  await watch.health()
  pass(600)

  expect(await watch.health()).toEqual(fine)
})

test('a worker that touches nothing for two minutes while tasks wait stands still', async () => {
  const { watch, setWaiting, pass, samples } = aWatch()
  setWaiting(3)
  await watch.health()
  pass(121)

  expect(await watch.health()).toEqual([
    { name: 'worker quarantine', ok: true },
    {
      name: 'worker validate',
      ok: false,
      reason: 'tasks are waiting and none was processed for 121 s',
    },
  ])
  expect(await samples('stage_workers_alive')).toEqual([
    'stage_workers_alive{stage="quarantine",service="pipeline"} 1',
    'stage_workers_alive{stage="validate",service="pipeline"} 0',
  ])
})

test('only a standstill of more than ten minutes is worth a restart', async () => {
  const { watch, setWaiting, pass } = aWatch()
  setWaiting(3)
  await watch.alive()

  pass(600)
  expect(await watch.alive()).toEqual(fine)
  pass(1)
  expect((await watch.alive()).map(({ ok }) => ok)).toEqual([true, false])
})

test('one task taken, and it is alive again', async () => {
  const { watch, setWaiting, pass } = aWatch()
  setWaiting(3)
  await watch.health()
  pass(300)
  await watch.run('slow', async () => 'advance')

  expect(await watch.health()).toEqual(fine)
  pass(121)
  expect((await watch.health()).map(({ ok }) => ok)).toEqual([true, false])
})

test('a queue that does not answer says nothing about the workers', async () => {
  const { watch, setWaiting, samples } = aWatch()
  setWaiting(-1)

  expect(await watch.health()).toEqual(fine)
  expect(await samples('stage_workers_alive{')).toEqual([])
})

test('counts the tasks in hand, and times them by stage and outcome', async () => {
  const { watch, samples } = aWatch()
  const { promise, resolve } = Promise.withResolvers<string>()
  const running = watch.run('slow', () => promise)
  expect(await samples('stage_tasks_running')).toEqual([
    'stage_tasks_running{stage="quarantine",service="pipeline"} 0',
    'stage_tasks_running{stage="validate",service="pipeline"} 1',
  ])

  resolve('reject')
  await running
  await expect(watch.run('slow', () => Promise.reject(new Error('database away')))).rejects.toThrow(
    'database away',
  )

  expect(await samples('stage_duration_seconds_count')).toEqual([
    'stage_duration_seconds_count{service="pipeline",stage="validate",outcome="reject"} 1',
    'stage_duration_seconds_count{service="pipeline",stage="validate",outcome="error"} 1',
  ])
})
