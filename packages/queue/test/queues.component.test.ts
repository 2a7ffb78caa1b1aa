import { randomUUID } from 'node:crypto'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackendsWithCluster } from '@despatch/testing/queue-backends'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openQueues } from '../src/open-queues.ts'
import { prepareQueues } from '../src/prepare-queues.ts'
import type { Queues, Task } from '../src/queues.ts'

const queueBackends = await takeQueueBackendsWithCluster()

describe.each(queueBackends)('queues on $name', ({ url }) => {
  const errors: Error[] = []
  const onError = (error: Error) => errors.push(error)
  let queues: Queues

  beforeAll(async () => {
    await prepareQueues(url)
    queues = openQueues({
      url,
      onError,
      timings: { lockDurationMs: 1_000, stalledIntervalMs: 200 },
    })
  })
  afterAll(() => queues.close())

  const consume = (handler: (task: Task, signal: AbortSignal) => Promise<void>) =>
    queues.consume('letters', handler, { concurrency: 4, onError })

  test('can be prepared twice without an error', async () => {
    await prepareQueues(url)
  })

  test('carry tasks to the consumer, with only subject and epoch', async () => {
    const seen: Task[] = []
    const consumer = consume(async (task) => {
      seen.push(task)
    })
    const tasks = [1, 2, 3].map((epoch) => ({ subject: randomUUID(), epoch }))

    await queues.enqueue('letters', tasks)

    await eventually(() => seen.length === 3, { message: 'three tasks are seen' })
    expect(seen.toSorted((a, b) => a.epoch - b.epoch)).toEqual(tasks)
    await consumer.close()
  })

  test('carry a waiting subject and epoch only once, and a new epoch separately', async () => {
    const subject = randomUUID()
    await queues.enqueue('letters', [{ subject, epoch: 1 }])
    await queues.enqueue('letters', [{ subject, epoch: 1 }])
    await queues.enqueue('letters', [{ subject, epoch: 2 }])
    const seen: Task[] = []

    const consumer = consume(async (task) => {
      seen.push(task)
    })

    await eventually(() => seen.some(({ epoch }) => epoch === 2), { message: 'epoch 2 is seen' })
    await consumer.close()
    expect(seen.map(({ epoch }) => epoch).toSorted()).toEqual([1, 2])
  })

  test('mark a task as failed if its handler throws, and continue with other tasks', async () => {
    const seen: string[] = []
    const consumer = consume(async ({ subject }) => {
      seen.push(subject)
      if (subject === bad) throw new Error('cannot do it')
    })
    const bad = randomUUID()
    const good = randomUUID()

    await queues.enqueue('letters', [
      { subject: bad, epoch: 1 },
      { subject: good, epoch: 1 },
    ])

    await eventually(() => seen.includes(good), { message: 'the good task is seen' })
    await eventually(async () => (await countsOf(queues)).failed === 1, {
      message: 'the bad task is failed',
    })
    expect(seen.filter((subject) => subject === bad)).toHaveLength(1)
    await consumer.close()
  })

  test('keep the tasks of a closed consumer for the next consumer', async () => {
    const first = consume(async () => {})
    await first.close()
    const subject = randomUUID()
    await queues.enqueue('letters', [{ subject, epoch: 1 }])
    const seen: string[] = []

    const second = consume(async (task) => {
      seen.push(task.subject)
    })

    await eventually(() => seen.includes(subject), { message: 'the second consumer sees it' })
    await second.close()
  })
})

async function countsOf(queues: Queues) {
  return (await queues.counts()).find(({ name }) => name === 'letters')!
}
