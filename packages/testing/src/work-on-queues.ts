import { manageQueues } from '@despatch/queue/manage-queues'
import { openQueues } from '@despatch/queue/open-queues'
import { prepareQueues } from '@despatch/queue/prepare-queues'
import { repeat } from '@despatch/queue/repeat'
import { takeBatch } from '@despatch/work/batch-lease'
import { createBatchChooser } from '@despatch/work/choose-batches'
import { formBatches } from '@despatch/work/form-batches'
import { giveUpTask } from '@despatch/work/give-up'
import { tablesOf } from '@despatch/work/kind'
import { type End, runBatch } from '@despatch/work/run-batch'
import { startScheduler } from '@despatch/work/scheduler'
import { createTimeShare } from '@despatch/work/time-share'
import { sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from './eventually.ts'
import type { QueueBackend } from './queue-backends.ts'
import type { KindUnderTest } from './work-suite.ts'

const finished: End = { words: 'finished', isSettled: true, isMeasured: true }
const overtaken: End = { words: 'overtaken', isSettled: true, isMeasured: false }
const leaseSeconds = 1
const upToDate = {
  judge: async () => undefined,
  served: () => {},
  whenUp: async () => {},
}

/** What the engine promises of every kind of work with each carrier of its queues. Nobody nudges a scheduler here. */
export function describeWorkOnQueues<Subject extends { consumerId: string }>(
  name: string,
  { database, kind, ...own }: KindUnderTest<Subject>,
  { name: carrier, url }: QueueBackend,
): void {
  const { db } = database
  const { waiting, later, batch, spent } = tablesOf(kind)
  const finishes: string[] = []

  /** A process that schedules, works and gives up batches. It finishes each subject that it is given. */
  function startProcess() {
    const errors: Error[] = []
    const onError = (error: Error) => void errors.push(error)
    const queues = openQueues({ url, onError })
    const context = {
      db,
      kind,
      leaseSeconds,
      atOnce: (_lane: string, size: number) => size,
      timeShare: createTimeShare(),
      outages: upToDate,
      onTaken: () => scheduler.nudge(),
      onError,
      run: async (subject: Subject) => {
        const held = own.held(subject)
        if (!(await own.finish(held))) return overtaken
        finishes.push(held.subject)
        return finished
      },
    }
    const pausedQueues = async () =>
      (await queues.counts()).filter(({ isPaused }) => isPaused).map((queue) => queue.name)
    const scheduler = startScheduler({ db, kind, queues, pausedQueues, everyMs: 50, onError })
    const parts = [
      scheduler,
      repeat({
        ...giveUpTask({ db, kind, leaseSeconds, onInterrupted: () => scheduler.nudge() }),
        onError,
      }),
      ...[kind.queues.ordinary, kind.queues.slow].map((queue) =>
        queues.consume(queue.name, (task, signal) => runBatch(context, task, signal), {
          concurrency: 2,
          onError,
        }),
      ),
    ]
    onTestFinished(async () => {
      await Promise.all(parts.map((part) => part.close()))
      await queues.close()
    })
  }
  const untilFinished = (subjects: readonly string[]) =>
    eventually(() => subjects.every((subject) => finishes.includes(subject)), {
      message: 'all subjects are finished',
    })

  describe(`${name}, with queues on ${carrier}`, () => {
    let consumer: string
    beforeEach(async () => {
      await prepareQueues(url)
      await sql`truncate ${waiting}, ${later}, ${batch}, ${spent}`.execute(db)
      finishes.length = 0
      consumer = await own.aConsumer()
    })

    test('is done once, although three processes share the work', async () => {
      const others = await own.add(await own.aConsumer(), 20)
      const subjects = [...(await own.add(consumer, 60)), ...others]

      for (let process = 0; process < 3; process += 1) startProcess()
      await untilFinished(subjects)

      expect(finishes.toSorted()).toEqual(subjects.toSorted())
    })

    test('is done by another process if its worker dies, and so are the others of its batch', async () => {
      const subjects = await own.add(consumer, 3)
      const [offer] = await formBatches(db, kind, {
        pausedQueues: [],
        ...createBatchChooser(kind),
      })
      // nobody renews this lease
      await takeBatch(db, kind, offer!, leaseSeconds)

      for (let process = 0; process < 2; process += 1) startProcess()
      await untilFinished(subjects)

      expect(finishes.toSorted()).toEqual(subjects.toSorted())
    })

    test('waits while its queue is paused, and survives that the queue is wiped', async () => {
      const managed = manageQueues({ url, onError: () => {} })
      onTestFinished(() => managed.close())
      const queue = kind.queues.ordinary.name
      await managed.pause(queue)
      startProcess()
      const subjects = await own.add(consumer, 3)
      await eventually(async () => (await managed.find(queue)).waiting === 1, {
        message: 'the batch waits in the queue',
      })

      await managed.drain(queue)
      expect(finishes).toEqual([])
      await managed.resume(queue)
      await sql`update ${batch} set due_at = now()`.execute(db)

      await untilFinished(subjects)
    })
  })
}
