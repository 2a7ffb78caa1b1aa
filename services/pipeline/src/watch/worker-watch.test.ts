import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, test } from 'vitest'
import { watchWorkers } from './worker-watch.ts'

function aWatch() {
  let nowMs = Date.parse('2026-11-20T09:00:00Z')
  let waiting = 0
  let isPaused = false
  const registry = createMetrics('pipeline')
  const watch = watchWorkers({
    names: ['letters', 'slow'],
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
  { name: 'worker letters', ok: true },
  { name: 'worker slow', ok: true },
]

test('a worker without work is healthy, and so is one with a new task', async () => {
  const { watch, setWaiting, pass } = aWatch()
  pass(86_400)
  expect(await watch.health()).toEqual(fine)

  setWaiting(3)
  expect(await watch.health()).toEqual(fine)
  pass(120)
  expect(await watch.health()).toEqual(fine)
})

test('tasks in a paused queue do not make the worker unhealthy', async () => {
  const { watch, setWaiting, pause, pass } = aWatch()
  setWaiting(3)
  pause()
  await watch.health()
  pass(600)

  expect(await watch.health()).toEqual(fine)
})

test('a worker that takes no waiting task for two minutes is unhealthy', async () => {
  const { watch, setWaiting, pass, samples } = aWatch()
  setWaiting(3)
  await watch.health()
  pass(121)

  expect(await watch.health()).toEqual([
    { name: 'worker letters', ok: true },
    {
      name: 'worker slow',
      ok: false,
      reason: 'tasks are waiting and none was processed for 121 s',
    },
  ])
  expect(await samples('workers_alive')).toEqual([
    'workers_alive{queue="letters",service="pipeline"} 1',
    'workers_alive{queue="slow",service="pipeline"} 0',
  ])
})

test('a worker requires a restart only after ten minutes', async () => {
  const { watch, setWaiting, pass } = aWatch()
  setWaiting(3)
  await watch.alive()

  pass(600)
  expect(await watch.alive()).toEqual(fine)
  pass(1)
  expect((await watch.alive()).map(({ ok }) => ok)).toEqual([true, false])
})

test('a worker is healthy again when it takes a task', async () => {
  const { watch, setWaiting, pass } = aWatch()
  setWaiting(3)
  await watch.health()
  pass(300)
  await watch.run('slow', async () => 'advance')

  expect(await watch.health()).toEqual(fine)
  pass(121)
  expect((await watch.health()).map(({ ok }) => ok)).toEqual([true, false])
})

test('an unavailable queue leaves the workers healthy', async () => {
  const { watch, setWaiting, samples } = aWatch()
  setWaiting(-1)

  expect(await watch.health()).toEqual(fine)
  expect(await samples('workers_alive{')).toEqual([])
})

test('counts the running tasks, also after a failed one', async () => {
  const { watch, samples } = aWatch()
  const { promise, resolve } = Promise.withResolvers<string>()
  const running = watch.run('slow', () => promise)
  expect(await samples('worker_tasks_running')).toEqual([
    'worker_tasks_running{queue="letters",service="pipeline"} 0',
    'worker_tasks_running{queue="slow",service="pipeline"} 1',
  ])

  resolve('1 advanced')
  expect(await running).toBe('1 advanced')
  await expect(watch.run('slow', () => Promise.reject(new Error('database away')))).rejects.toThrow(
    'database away',
  )

  expect(await samples('worker_tasks_running{queue="slow"')).toEqual([
    'worker_tasks_running{queue="slow",service="pipeline"} 0',
  ])
})

test('times letters by stage and outcome', async () => {
  const { watch, samples } = aWatch()
  watch.noteStage('quarantine', 'advance', 20)
  watch.noteStage('validate', 'error', 700)

  expect(await samples('stage_duration_seconds_count')).toEqual([
    'stage_duration_seconds_count{service="pipeline",stage="quarantine",outcome="advance"} 1',
    'stage_duration_seconds_count{service="pipeline",stage="validate",outcome="error"} 1',
  ])
  expect(await samples('stage_duration_seconds_sum{service="pipeline",stage="validate"')).toEqual([
    'stage_duration_seconds_sum{service="pipeline",stage="validate",outcome="error"} 0.7',
  ])
})
