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

  test('by two processes makes no call twice', async () => {
    const { db } = delivery.database
    const receivers = await Promise.all([1, 2, 3].map(() => delivery.startReceiver()))
    for (const receiver of receivers) receiver.answerWith({ status: 204, delayMs: 5 })
    const printJobs = await Promise.all(
      Array.from({ length: 60 }, (_, job) =>
        seedPrintJob(db, { target: receivers[job % 3]!.url, retryParams }),
      ),
    )
    await delivery.startService()
    const owed = await Promise.all(
      printJobs.flatMap((printJob) =>
        [1, 2, 3].map((sequence) => addCallback(db, printJob, sequence)),
      ),
    )
    await Promise.all(owed.map(({ id }) => delivery.ended(id)))

    const called = receivers.flatMap(({ calls }) =>
      calls.map(({ headers }) => headers['webhook-id']),
    )
    expect(called.toSorted()).toEqual(owed.map(({ id }) => id).toSorted())
  })
})
