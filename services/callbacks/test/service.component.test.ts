import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Delivery, startDelivery } from './a-delivery.ts'
import { addCallback, seedCallback, seedPrintJob } from './seed-callback.ts'

const retryParams = { enabled: true, maxRetryWindow: 60 }
const delivered = { state: 'DELIVERED', endReason: null }

describe('a process that delivers', () => {
  let delivery: Delivery

  beforeAll(async () => {
    delivery = await startDelivery()
  })
  afterAll(() => delivery.close())

  test('is woken by the commit of a callback', async () => {
    const service = await delivery.startService({}, { pollMs: 60_000 })
    const receiver = await delivery.startReceiver()

    const { id } = await seedCallback(delivery.database.db, { target: receiver.url })

    expect(await delivery.ended(id)).toEqual({ ...delivered, attempts: 1 })
    expect(receiver.calls.map(({ headers }) => headers['webhook-id'])).toEqual([id])
    await service.close()
  })

  test('callbacks created while no process runs are delivered by the next one', async () => {
    const receiver = await delivery.startReceiver()
    const { id } = await seedCallback(delivery.database.db, { target: receiver.url })

    const service = await delivery.startService()

    expect(await delivery.ended(id)).toEqual({ ...delivered, attempts: 1 })
    await service.close()
  })

  test('a stopped process finishes its call, and another process continues', async () => {
    const receiver = await delivery.startReceiver()
    receiver.answerWith({ status: 204, delayMs: 300 })
    const first = await delivery.startService()
    const slow = await seedCallback(delivery.database.db, { target: receiver.url })
    await receiver.received(() => true)

    await first.close()
    const meanwhile = await seedCallback(delivery.database.db, { target: receiver.url })
    const second = await delivery.startService()

    expect(await delivery.ended(slow.id)).toEqual({ ...delivered, attempts: 1 })
    expect(await delivery.ended(meanwhile.id)).toEqual({ ...delivered, attempts: 1 })
    expect(receiver.calls).toHaveLength(2)
    await second.close()
  })
})

describe('delivery', () => {
  let delivery: Delivery

  beforeAll(async () => {
    delivery = await startDelivery()
    await delivery.startService()
  })
  afterAll(() => delivery.close())

  test('retries with the same id and the same bytes until success', async () => {
    const receiver = await delivery.startReceiver()
    receiver.answerWith({ status: 503 }, { hangUp: true }, { status: 204 })

    const { id, body } = await seedCallback(delivery.database.db, {
      target: receiver.url,
      retryParams,
    })

    expect(await delivery.ended(id)).toEqual({ ...delivered, attempts: 3 })
    expect(await delivery.outcomes(id)).toEqual(['refused', 'unknown', 'delivered'])
    expect(receiver.calls.map((call) => [call.headers['webhook-id'], call.body])).toEqual(
      Array.from({ length: 3 }, () => [id, JSON.parse(body.toString())]),
    )
  })

  test('makes the calls of a print job one by one in order, and a failing call delays no other print job', async () => {
    const { db } = delivery.database
    const receiver = await delivery.startReceiver()
    // the retry comes long after the others, also on a busy machine
    const later = { 'retry-after': '10' }
    receiver.answerWith({ status: 503, headers: later, delayMs: 50 }, { status: 200, delayMs: 50 })
    const printJob = await seedPrintJob(db, { target: receiver.url, retryParams })

    const first = await addCallback(db, printJob, 1)
    const second = await addCallback(db, printJob, 2)
    const third = await addCallback(db, printJob, 3)
    await Promise.all([first, second, third].map(({ id }) => delivery.ended(id)))

    expect(receiver.calls.map(({ headers }) => headers['webhook-id'])).toEqual([
      first.id,
      second.id,
      third.id,
      first.id,
    ])
  })

  test('in strict order starts a callback only when the previous one has ended', async () => {
    const { db } = delivery.database
    const receiver = await delivery.startReceiver()
    receiver.answerWith({ status: 503 }, { status: 204 }, { status: 404 }, { status: 204 })
    const consumer = await insertConsumer(db)
    const seed = { target: receiver.url, retryParams, consumer, order: 'strict' } as const
    const owed = []
    for (let job = 0; job < 4; job++) owed.push(await seedCallback(db, seed))

    const ends = await Promise.all(owed.map(({ id }) => delivery.ended(id)))

    expect(ends.map(({ state }) => state)).toEqual(['DELIVERED', 'DEAD', 'DELIVERED', 'DELIVERED'])
    const [one, two, three, four] = owed.map(({ id }) => id)
    expect(receiver.calls.map(({ headers }) => headers['webhook-id'])).toEqual([
      one,
      one,
      two,
      three,
      four,
    ])
  })

  test('makes as many calls at once to a receiver as its contract allows', async () => {
    const { db } = delivery.database
    const consumer = await insertConsumer(db)
    const contract = db.updateTable('contract').where('id', '=', consumer.contractId)
    await contract.set({ callback_concurrency: 20 }).execute()
    // it answers nobody before it has twenty callers
    const callers: ServerResponse[] = []
    const receiver = createServer((_request, response) => {
      if (callers.push(response) < 20) return
      for (const caller of callers) caller.writeHead(204).end()
    })
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`

    const owed = await Promise.all(
      Array.from({ length: 20 }, () => seedCallback(db, { target, consumer })),
    )

    const ends = await Promise.all(owed.map(({ id }) => delivery.ended(id)))
    expect(ends).toEqual(owed.map(() => ({ ...delivered, attempts: 1 })))
    receiver.close()
  })

  test('by two processes makes no call twice, and shares the limit of an origin', async () => {
    const { db } = delivery.database
    let underWay = 0
    let most = 0
    const receivers = await Promise.all([1, 2, 3].map(() => delivery.startReceiver()))
    for (const receiver of receivers) receiver.answerWith({ status: 204, delayMs: 5 })
    const printJobs = await Promise.all(
      Array.from({ length: 60 }, (_, job) =>
        seedPrintJob(db, { target: receivers[job % 3]!.url, retryParams }),
      ),
    )
    await delivery.startService()
    const watching = setInterval(async () => {
      const { rows } = await delivery.database.pool.query<{ held: number }>(
        `select sum(least(batch.calls_max, open.count))::integer as held from callback_batch batch cross join lateral (
           select count(*) from unnest(batch.subjects, batch.versions) as call (id, version)
           join callback on callback.id = call.id and attempt_epoch = call.version and state = 'DUE') open
         group by batch.origin`,
      )
      underWay = Math.max(0, ...rows.map(({ held }) => held))
      most = Math.max(most, underWay)
    }, 10)

    const owed = await Promise.all(
      printJobs.flatMap((printJob) =>
        [1, 2, 3].map((sequence) => addCallback(db, printJob, sequence)),
      ),
    )
    await Promise.all(owed.map(({ id }) => delivery.ended(id)))
    clearInterval(watching)

    const called = receivers.flatMap(({ calls }) =>
      calls.map(({ headers }) => headers['webhook-id']),
    )
    expect(called.toSorted()).toEqual(owed.map(({ id }) => id).toSorted())
    expect(most).toBeLessThanOrEqual(8)
  })
})
