import { randomUUID } from 'node:crypto'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackendsWithCluster } from '@despatch/testing/queue-backends'
import { asService } from '@despatch/testing/service-logins'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ListedQueues, openListedQueues } from '../src/listed-queues.ts'
import { openQueues } from '../src/open-queues.ts'
import { prepareQueues } from '../src/prepare-queues.ts'
import {
  type NewTask,
  type QueueName,
  type Queues,
  queueNames,
  type TaskHandler,
} from '../src/queues.ts'

const queueBackends = await takeQueueBackendsWithCluster()
const onError = () => {}

const aBatch = (detail: Partial<NewTask> = {}): NewTask => ({
  subject: randomUUID(),
  epoch: 1,
  lane: 'plain',
  size: 41,
  ...detail,
})

describe.each(queueBackends)('tasks on $name', ({ url }) => {
  let queues: Queues
  let board: ListedQueues
  beforeAll(async () => {
    await prepareQueues(url)
    queues = openQueues({ url: asService(url, 'pipeline'), onError })
    board = openListedQueues({ url, onError })
  })
  afterAll(async () => {
    await board.close()
    await queues.close()
  })

  /** Returns a task as the queue board shows it; undefined if it is gone. */
  const shown = (name: QueueName, { subject, epoch }: NewTask) =>
    board.queues.find((queue) => queue.name === name)!.getJob(`${subject}-${name}-${epoch}`)

  const consume = (name: QueueName, handler: TaskHandler, concurrency = 4) => {
    const consumer = queues.consume(name, handler, { concurrency, onError })
    onTestFinished(() => consumer.close())
    return consumer
  }

  /** Waits until the task has ended and is shown so. */
  const ended = (name: QueueName, task: NewTask) =>
    eventually(
      async () => {
        const job = await shown(name, task)
        return job?.finishedOn !== undefined && job
      },
      { message: 'the task has ended' },
    )

  test.each(queueNames)('a service may add any number of tasks to %s at once', async (name) => {
    const tasks = Array.from({ length: 20 }, () => aBatch())
    const seen = new Set<string>()

    await queues.enqueue(name, tasks)
    consume(name, async ({ subject }) => void seen.add(subject))

    await eventually(() => seen.size === 20, { message: 'all tasks are handled' })
    expect([...seen].toSorted()).toEqual(tasks.map(({ subject }) => subject).toSorted())
  })

  test('each task is shown by lane, letters and consumer of its batch, and nothing else', async () => {
    const consumer = randomUUID()
    const batches = [aBatch({ consumer }), aBatch({ lane: 'files', size: 2 }), aBatch()]
    await queues.enqueue('slow', [])
    await queues.enqueue('slow', batches.slice(0, 1))
    await queues.enqueue('slow', batches.slice(1))

    const jobs = await Promise.all(batches.map((batch) => shown('slow', batch)))

    expect(jobs.map((job) => [job!.name, job!.data])).toEqual(
      batches.map((batch) => [batch.lane, batch]),
    )
    const seen: unknown[] = []
    consume('slow', async (task) => void seen.push(task))
    await eventually(() => seen.length === 3, { message: 'three tasks are seen' })
    expect(seen).toEqual(expect.arrayContaining(batches))
  })

  test('urgent tasks overtake waiting tasks, and the others keep their order', async () => {
    const ordinary = Array.from({ length: 4 }, () => aBatch({ lane: 'ordinary' }))
    const urgent = Array.from({ length: 3 }, () => aBatch({ lane: 'urgent', isUrgent: true }))
    for (const task of [...ordinary.slice(0, 3), ...urgent, ...ordinary.slice(3)]) {
      await queues.enqueue('letters', [task])
    }
    const seen: NewTask[] = []

    consume('letters', async (task) => void seen.push(task), 1)

    await eventually(() => seen.length === 7, { message: 'all tasks are seen' })
    expect(seen.map(({ subject }) => subject)).toEqual(
      [...urgent, ...ordinary].map(({ subject }) => subject),
    )
    expect(seen[0]).not.toHaveProperty('isUrgent')
  })

  test('the board shows the progress of a task, and then the outcome of its letters', async () => {
    const batch = aBatch()
    const gate = Promise.withResolvers<void>()
    consume('letters', async (_task, _signal, progress) => {
      await progress('17 of 41')
      await gate.promise
      return '40 advanced, 1 rejected'
    })

    await queues.enqueue('letters', [batch])

    await eventually(async () => (await shown('letters', batch))?.progress === '17 of 41', {
      message: 'the progress is shown',
    })
    expect((await shown('letters', batch))!.finishedOn).toBeUndefined()
    gate.resolve()
    expect(await ended('letters', batch)).toMatchObject({
      returnvalue: '40 advanced, 1 rejected',
      progress: '17 of 41',
    })
  })

  test('BullMQ counts batches', async () => {
    const count = async () =>
      (await board.queues.find(({ name }) => name === 'slow')!.getMetrics('completed')).meta.count
    const before = await count()
    consume('slow', async () => {})

    await queues.enqueue('slow', [aBatch()])

    await eventually(async () => (await count()) > before, { message: 'the task is counted' })
  })

  test('a task whose handler throws fails at once, the board shows why, and others go on', async () => {
    const [bad, good] = [aBatch(), aBatch()]
    const seen: string[] = []
    consume('letters', async ({ subject }) => {
      seen.push(subject)
      if (subject === bad.subject) throw new Error('the database is away')
    })

    await queues.enqueue('letters', [bad, good])

    expect(await ended('letters', bad)).toMatchObject({ failedReason: 'the database is away' })
    await ended('letters', good)
    expect(seen.toSorted()).toEqual([bad.subject, good.subject].toSorted())
  })

  test('a waiting subject and epoch is carried once, and a new epoch separately', async () => {
    const batch = aBatch()
    await queues.enqueue('letters', [batch])
    await queues.enqueue('letters', [batch])
    await queues.enqueue('letters', [{ ...batch, epoch: 2 }])
    const seen: number[] = []

    consume('letters', async ({ epoch }) => void seen.push(epoch))

    await ended('letters', { ...batch, epoch: 2 })
    expect(seen.toSorted()).toEqual([1, 2])
  })

  test('the tasks of a closed consumer are kept for the next consumer', async () => {
    await consume('letters', async () => {}).close()
    const batch = aBatch()
    await queues.enqueue('letters', [batch])
    const seen: string[] = []

    consume('letters', async ({ subject }) => void seen.push(subject))

    await eventually(() => seen.includes(batch.subject), { message: 'the second consumer sees it' })
  })

  test('an ended batch does not run again under its epoch, but runs under the next', async () => {
    const batch = aBatch()
    const seen: number[] = []
    consume('letters', async ({ subject, epoch }) => {
      if (subject === batch.subject) seen.push(epoch)
    })
    await queues.enqueue('letters', [batch])
    await ended('letters', batch)

    await queues.enqueue('letters', [batch])
    const next = { ...batch, epoch: 2 }
    await queues.enqueue('letters', [next])
    await ended('letters', next)

    expect(seen).toEqual([1, 2])
  })

  test('a batch stays on the board for an hour', async () => {
    const [first, second, third] = [aBatch(), aBatch(), aBatch()]
    consume('letters', async () => {})
    const end = async (batch: NewTask) => {
      await queues.enqueue('letters', [batch])
      await ended('letters', batch)
    }
    const later = (minutes: number) =>
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
    onTestFinished(() => void vi.useRealTimers())

    await end(first)
    later(50)
    await end(second)
    const afterFiftyMinutes = await shown('letters', first)
    later(15)
    await end(third)

    expect(afterFiftyMinutes).toBeDefined()
    await eventually(async () => (await shown('letters', first)) === undefined, {
      message: 'the first task is gone',
    })
    expect(await shown('letters', second)).toBeDefined()
  })
})
