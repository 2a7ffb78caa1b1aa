import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import type { WorkQueue } from '@despatch/domain/work/lane'
import type { NewTask, Queues } from '@despatch/queue/queues'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import { aDatabase } from '@despatch/testing/a-database'
import { eventually } from '@despatch/testing/eventually'
import { startScheduler } from '@despatch/work/scheduler'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { runLetters } from '../src/work/run-letters.ts'
import { aWorker, saveLetters } from './a-worker.ts'

let database: Awaited<ReturnType<typeof aDatabase>>
beforeEach(async () => {
  database = await aDatabase()
  return () => database.close()
})

/** A scheduler whose passes the test starts, with queues that only record what they are given. */
function aScheduler() {
  const state = { isDown: false, paused: [] as WorkQueue[] }
  const offers: (NewTask & { queue: string })[] = []
  const errors: Error[] = []
  const enqueue: Queues['enqueue'] = async (queue, tasks) => {
    if (state.isDown) throw new DependencyUnavailable('queue', { cause: new Error('down') })
    offers.push(...tasks.map((task) => ({ queue, ...task })))
  }
  const scheduler = startScheduler({
    db: database.db,
    kind: letterKind,
    queues: { enqueue } as Queues,
    everyMs: 3_600_000,
    pausedQueues: async () => state.paused,
    onError: (error) => void errors.push(error),
  })
  onTestFinished(() => scheduler.close())
  /** Two nudges make sure that a whole pass begins and ends after the call. */
  const pass = async () => {
    for (const which of ['a pass', 'the next pass']) {
      const seen = errors.length
      const endedAtMs = scheduler.lastPassAt().getTime()
      // a pass may end within the millisecond in which the last one ended
      await eventually(() => Date.now() > endedAtMs, { message: 'the clock goes on', pollMs: 1 })
      scheduler.nudge()
      await eventually(() => errors.length > seen || scheduler.lastPassAt().getTime() > endedAtMs, {
        message: `${which} has ended`,
        pollMs: 5,
      })
    }
  }
  return { state, offers, errors, pass }
}

const batchesOf = async () =>
  (await database.pool.query('select queue, epoch from letter_batch order by queue, epoch')).rows
const timePasses = () => database.pool.query('update letter_batch set due_at = now()')
const workerTakes = ({ subject, epoch, lane }: NewTask) =>
  runLetters(aWorker(database.db), { subject, epoch, ...(lane && { lane }) }, AbortSignal.any([]))

test('a batch is one task, which has only the number of its letters', async () => {
  await saveLetters(database, 3)
  const { offers, pass } = aScheduler()

  await pass()

  expect(offers).toEqual([
    {
      queue: 'letters',
      lane: 'plain',
      size: 3,
      isUrgent: true,
      epoch: 1,
      subject: expect.stringMatching(/^[0-9a-f-]{36}$/),
      consumer: expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  ])
})

test('a batch that the queue refused is offered again when the queue is back', async () => {
  const keys = await saveLetters(database, 3)
  const { state, offers, errors, pass } = aScheduler()
  state.isDown = true
  await pass()
  expect(errors.map(({ name }) => name)).toContain('DependencyUnavailable')
  expect([offers.length, (await batchesOf()).length]).toEqual([0, 1])

  state.isDown = false
  await pass()
  expect(offers).toEqual([])
  await timePasses()
  await pass()

  expect(offers).toMatchObject([{ epoch: 2, size: keys.length }])
  expect(await workerTakes(offers[0]!)).toBe('3 advanced')
})

test('a batch of a paused queue is offered again only after the queue is resumed', async () => {
  await saveLetters(database, 3)
  const { state, offers, pass } = aScheduler()
  state.paused = ['letters']
  await pass()
  for (let time = 0; time < 3; time++) {
    await timePasses()
    await pass()
  }
  expect(offers).toMatchObject([{ epoch: 1 }])

  state.paused = []
  await pass()

  expect(offers).toMatchObject([{ epoch: 1 }, { epoch: 2 }])
  expect(await workerTakes(offers[0]!)).toBe('nothing to do')
  expect(await workerTakes(offers[1]!)).toBe('3 advanced')
})
