import { randomUUID } from 'node:crypto'
import { aDatabase } from '@despatch/testing/a-database'
import { countQueries } from '@despatch/testing/count-queries'
import { shared } from '@despatch/testing/shared'
import { beforeEach, expect, test } from 'vitest'
import { relayOutbox } from '../src/outbox.ts'

const { db } = await shared(aDatabase())
beforeEach(() => db.deleteFrom('outbox').execute())

const wakeUp = (queue: string, epoch: number, secondsOverdue: number) => ({
  queue,
  subject: randomUUID(),
  epoch,
  due_at: new Date(Date.now() - secondsOverdue * 1_000),
})

const add = (...wakeUps: ReturnType<typeof wakeUp>[]) =>
  db.insertInto('outbox').values(wakeUps).execute()

test('keeps tasks that could not be published, and publishes due tasks once', async () => {
  const due = wakeUp('callback', 3, 1)
  await add(due, wakeUp('callback', 1, -600))
  const options = { queues: ['callback'], tasksMax: 100 }
  const failing = relayOutbox(db, {
    ...options,
    publish: () => Promise.reject(new Error('Redis is away')),
  })
  await expect(failing).rejects.toThrow('Redis is away')
  const published: unknown[] = []

  const publish = async (_queue: string, tasks: readonly unknown[]) => {
    published.push(...tasks)
  }
  await relayOutbox(db, { ...options, publish })
  await relayOutbox(db, { ...options, publish })

  expect(published).toEqual([{ queue: 'callback', subject: due.subject, epoch: 3 }])
})

test('a queue that refuses tasks, or an unknown queue, does not delay other queues', async () => {
  await add(
    ...[1, 2, 3].map((epoch) => wakeUp('of-a-later-release', epoch, 90)),
    ...[1, 2, 3].map((epoch) => wakeUp('first', epoch, 60)),
    wakeUp('second', 1, 30),
  )
  const published: string[] = []
  const publish = async (queue: string, tasks: readonly unknown[]) => {
    if (queue === 'first') throw new Error('its queue takes nothing')
    published.push(...tasks.map(() => queue))
  }

  const relayed = relayOutbox(db, { queues: ['first', 'second'], tasksMax: 2, publish })

  await expect(relayed).rejects.toThrow('its queue takes nothing')
  expect(published).toEqual(['second'])
  const left = await db.selectFrom('outbox').select('queue').orderBy('id').execute()
  expect(left.map(({ queue }) => queue)).toEqual([
    ...Array.from({ length: 3 }, () => 'of-a-later-release'),
    ...Array.from({ length: 3 }, () => 'first'),
  ])
})

test('asks in one statement while no task of its queues is due', async () => {
  await add(wakeUp('callback', 1, -600), wakeUp('of-a-later-release', 1, 90))
  const publish = async () => {}
  const queries = countQueries()

  await relayOutbox(db, { queues: ['callback'], tasksMax: 100, publish })

  expect(queries.count()).toBe(1)
})
