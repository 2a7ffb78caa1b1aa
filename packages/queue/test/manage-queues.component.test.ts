import { randomUUID } from 'node:crypto'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import { takeQueueBackendsWithCluster } from '@despatch/testing/queue-backends'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ManagedQueues, manageQueues } from '../src/manage-queues.ts'
import { openQueues } from '../src/open-queues.ts'
import { prepareQueues } from '../src/prepare-queues.ts'
import type { Queues, Task } from '../src/queues.ts'

const queueBackends = await takeQueueBackendsWithCluster()

describe.each(queueBackends)('queues of operators on $name', ({ url }) => {
  const onError = () => {}
  let queues: Queues
  let managed: ManagedQueues

  beforeAll(async () => {
    await prepareQueues(url)
    queues = openQueues({ url, onError })
    managed = manageQueues({ url, onError })
  })
  afterAll(async () => {
    await managed.close()
    await queues.close()
  })

  const someTasks = (count: number): Task[] =>
    Array.from({ length: count }, () => ({ subject: randomUUID(), epoch: 1 }))

  test('a paused queue delivers nothing, also to consumers that start later, until it is resumed', async () => {
    await managed.pause('letters')
    await managed.pause('letters')
    const tasks = someTasks(2)
    await queues.enqueue('letters', tasks)
    const seen: string[] = []
    const later = openQueues({ url, onError })
    const consumer = later.consume(
      'letters',
      async ({ subject }) => {
        seen.push(subject)
      },
      { concurrency: 2, onError },
    )

    // A consumer that takes tasks of another queue has been running for as long.
    const other: string[] = []
    const others = later.consume(
      'slow',
      async ({ subject }) => {
        other.push(subject)
      },
      { concurrency: 1, onError },
    )
    await queues.enqueue('slow', someTasks(1))
    await eventually(() => other.length === 1, { message: 'the other queue continues' })
    const paused = await eventually(
      async () => {
        const found = await managed.find('letters')
        // Redis also counts the workers of other databases.
        return (found.workers ?? 1) > 0 && found
      },
      { message: 'its consumer is counted' },
    )
    const seenPaused = [...seen]
    await managed.resume('letters')

    await eventually(() => seen.length === 2, {
      message: 'both tasks are seen after the queue is resumed',
    })
    await Promise.all([consumer.close(), others.close()])
    await later.close()
    expect(seenPaused).toEqual([])
    expect(paused).toEqual({
      name: 'letters',
      isPaused: true,
      workers: expect.any(Number),
      waiting: 2,
      active: 0,
      delayed: 0,
      failed: 0,
    })
    expect(seen.toSorted()).toEqual(tasks.map(({ subject }) => subject).toSorted())
    expect(await managed.find('letters')).toMatchObject({ isPaused: false, waiting: 0 })
  })

  test('draining removes the waiting tasks of one queue, paused or not, which can be added again', async () => {
    const tasks = someTasks(3)
    await managed.pause('slow')
    await queues.enqueue('slow', tasks)
    await queues.enqueue('letters', someTasks(2))

    const drained = await managed.drain('slow')
    const again = await managed.drain('slow')
    const states = await managed.list()
    await managed.resume('slow')
    const running = await managed.drain('letters')
    await queues.enqueue('slow', tasks)

    expect([drained, again, running, await managed.drain('slow')]).toEqual([3, 0, 2, 3])
    expect(states.map(({ name, waiting }) => [name, waiting])).toEqual([
      ['letters', 2],
      ['slow', 0],
    ])
  })

  test('failed tasks are retried', async () => {
    let isBroken = true
    const done: string[] = []
    const consumer = queues.consume(
      'slow',
      async ({ subject }) => {
        if (isBroken) throw new Error('broken')
        done.push(subject)
      },
      { concurrency: 1, onError },
    )
    const tasks = someTasks(2)
    await queues.enqueue('slow', tasks)
    await eventually(async () => (await managed.find('slow')).failed === 2, {
      message: 'both tasks have failed',
    })
    isBroken = false

    expect(await managed.retryFailed('slow')).toBe(2)

    await eventually(() => done.length === 2, { message: 'both tasks are done' })
    await consumer.close()
    expect(done.toSorted()).toEqual(tasks.map(({ subject }) => subject).toSorted())
    expect(await managed.retryFailed('slow')).toBe(0)
  })
})

test('closed queues leave no connection to PostgreSQL open', async () => {
  const { url } = await cloneDatabase()
  await prepareQueues(url)
  const looking = new pg.Client({ connectionString: url })
  await looking.connect()
  onTestFinished(() => looking.end())
  const connections = async () => {
    const { rows } = await looking.query(
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and application_name = 'queues'`,
    )
    return rows[0].count
  }
  for (let time = 1; time <= 5; time += 1) {
    const managed = manageQueues({ url, onError: () => {} })
    await managed.list()
    expect(await connections()).toBeGreaterThan(0)

    await managed.close()

    await eventually(async () => (await connections()) === 0, { message: 'none is left' })
  }
})
