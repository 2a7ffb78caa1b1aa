import { randomUUID } from 'node:crypto'
import { sealedBox } from '@despatch/access/sealed-box'
import { callbackEnvelope } from '@despatch/contracts/callback/envelope'
import { renderReturnMessage } from '@despatch/domain/callback/return-message'
import { callbackAuthenticationPurpose } from '@despatch/domain/callback/sealing'
import type { Service } from '@despatch/http/service'
import { openQueues } from '@despatch/queue/open-queues'
import type { QueueName } from '@despatch/queue/queues'
import { repeat } from '@despatch/queue/repeat'
import { insertOwedCallbacks } from '@despatch/store/callback/owed'
import { openDatabase } from '@despatch/store/database'
import { relayOutbox } from '@despatch/store/outbox'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { type CallbackReceiver, startCallbackReceiver } from '@despatch/testing/callback-receiver'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import ipaddr from 'ipaddr.js'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCallbackCommits } from '../src/callback-commits.ts'
import { createCallbackMetrics } from '../src/callback-metrics.ts'
import type { CallbacksConfig } from '../src/config.ts'
import { type DeliverContext, deliver } from '../src/deliver.ts'
import { createOriginSlots } from '../src/origin-slots.ts'
import { openOutbound } from '../src/outbound.ts'
import { createCallbacks } from '../src/service.ts'
import { insertCallback, seedCallback } from './seed-callback.ts'

const secretKey = 'ab'.repeat(32)
const allowed = [ipaddr.parseCIDR('127.0.0.0/8')]
const clone = await cloneDatabase()
const { db, close: closeDatabase } = openDatabase(clone.url, { name: 'test', connectionsMax: 6 })
const logged: string[] = []
const log = createLogger({
  service: 'callbacks',
  destination: { write: (line) => void logged.push(line) },
})
const retryParams = { enabled: true, maxRetryWindow: 60 }

let receiver: CallbackReceiver
let service: Service
let closeRelay: () => Promise<void>

beforeAll(async () => {
  const config: CallbacksConfig = {
    DATABASE_URL: clone.url,
    HOST: '127.0.0.1',
    PORT: 0,
    LOG_LEVEL: 'info',
    DESPATCH_SECRET_KEY: secretKey,
    DESPATCH_CALLBACK_ALLOW: allowed,
    DESPATCH_CALLBACK_CONCURRENCY: 64,
    DESPATCH_CALLBACK_SWEEP_INTERVAL_MS: 100,
  }
  service = await createCallbacks(config, { log })
  closeRelay = startRelay()
})

beforeEach(async () => {
  receiver = await startCallbackReceiver()
})

afterEach(() => receiver.stop())

afterAll(async () => {
  await service.close()
  await closeRelay()
  await closeDatabase()
  await clone.drop()
})

/** Stands in for the pipeline's relay. */
function startRelay(): () => Promise<void> {
  const onError = () => {}
  const queues = openQueues({ url: clone.url, onError })
  const relay = repeat({
    everyMs: 20,
    onError,
    pass: async () => {
      await relayOutbox(db, 500, async (tasks) => {
        for (const [queue, ofQueue] of Map.groupBy(tasks, (task) => task.queue)) {
          await queues.enqueue(queue as QueueName, ofQueue)
        }
      })
      return 'idle'
    },
  })
  return async () => {
    await relay.close()
    await queues.close()
  }
}

const ended = (id: string) =>
  eventually(
    () =>
      db
        .selectFrom('callback')
        .select(['state', 'attempts'])
        .where('id', '=', id)
        .where('state', '<>', 'DUE')
        .executeTakeFirst(),
    { message: 'the callback has ended' },
  )

const attemptsOf = (id: string) =>
  db
    .selectFrom('callback_attempt')
    .select(['number', 'outcome', 'http_status'])
    .where('callback_id', '=', id)
    .orderBy('number')
    .execute()

const callsFor = (id: string) =>
  receiver.calls.filter(({ headers }) => headers['webhook-id'] === id)

test('delivers the stored message as a consumer accepts it, with its credentials, and logs neither', async () => {
  const box = sealedBox(secretKey, { purpose: callbackAuthenticationPurpose })
  const { id, body } = await seedCallback(db, {
    params: { target: `${receiver.url}?token=SECRET-1.b'-_` },
    authenticationSealed: box.seal('Bearer SECRET-2'),
  })

  expect(await ended(id)).toEqual({ state: 'DELIVERED', attempts: 1 })

  const [call] = callsFor(id)
  expect(call).toMatchObject({
    method: 'POST',
    path: "/callbacks?token=SECRET-1.b'-_",
    headers: {
      authorization: 'Bearer SECRET-2',
      'content-type': 'application/json',
      'webhook-id': id,
      'x-correlation-id': 'correlation-1',
    },
    body: JSON.parse(body.toString()),
  })
  expect(callbackEnvelope.safeParse(call?.body).error).toBeUndefined()
  expect(await attemptsOf(id)).toEqual([{ number: 1, outcome: 'delivered', http_status: 200 }])
  const line = await eventually(() => logged.find((text) => text.includes(id)), {
    message: 'the attempt is logged',
  })
  expect(line).toContain('callback.attempted')
  expect(logged.join('')).not.toContain('SECRET')
})

test('delivers the message of a returned letter after that of the status, byte for byte', async () => {
  const first = await seedCallback(db, { params: { target: receiver.url } })
  const id = randomUUID()
  const body = Buffer.from(
    renderReturnMessage({
      messageId: id,
      sequence: 2,
      printJobId: first.printJobKey,
      jobType: 'LETTER',
      templateReference: 'T1',
      businessIdentifier: null,
      reasonCode: 'R01',
      disposition: 'DESTROYED',
      scannedAt: new Date('2026-02-14T10:11:12Z'),
      at: new Date(),
      correlationId: 'correlation-1',
    }),
  )
  await db.transaction().execute((tx) =>
    insertOwedCallbacks(tx, [{ id, key: first.printJobKey, sequence: 2, body }], {
      kind: 'return',
      status: 'DESPATCHED',
    }),
  )

  expect(await ended(id)).toEqual({ state: 'DELIVERED', attempts: 1 })

  expect(receiver.calls.map(({ headers }) => headers['webhook-id'])).toEqual([first.id, id])
  expect(callsFor(id)[0]?.body).toEqual(JSON.parse(body.toString()))
})

test('retries with the same id and the same bytes until it is delivered', async () => {
  receiver.answerWith({ status: 503 }, { hangUp: true }, { status: 204 })
  const { id, body } = await seedCallback(db, { params: { target: receiver.url, retryParams } })

  expect(await ended(id)).toEqual({ state: 'DELIVERED', attempts: 3 })

  expect(callsFor(id).map((call) => call.body)).toEqual(
    Array.from({ length: 3 }, () => JSON.parse(body.toString())),
  )
  expect(await attemptsOf(id)).toEqual([
    { number: 1, outcome: 'answered', http_status: 503 },
    { number: 2, outcome: 'unknown', http_status: null },
    { number: 3, outcome: 'delivered', http_status: 204 },
  ])
})

test('makes one attempt when retries are off', async () => {
  receiver.answerWith({ status: 503 })
  const { id } = await seedCallback(db, { params: { target: receiver.url } })

  expect(await ended(id)).toEqual({ state: 'ABANDONED', attempts: 1 })
  expect(callsFor(id)).toHaveLength(1)
})

test('gives up when the consumer refuses', async () => {
  receiver.answerWith({ status: 403 })
  const { id } = await seedCallback(db, { params: { target: receiver.url, retryParams } })

  expect(await ended(id)).toEqual({ state: 'ABANDONED', attempts: 1 })
})

test('does not connect to a forbidden address', async () => {
  const { id } = await seedCallback(db, {
    params: { target: 'http://169.254.169.254/latest?token=SECRET', retryParams },
  })

  expect(await ended(id)).toEqual({ state: 'ABANDONED', attempts: 1 })
  expect(await attemptsOf(id)).toEqual([{ number: 1, outcome: 'unsendable', http_status: null }])
})

test('a consumer that is gone gets no other callback of that print job', async () => {
  receiver.answerWith({ status: 410 })
  const first = await seedCallback(db, { params: { target: receiver.url, retryParams } })
  const second = { ...first, id: randomUUID() }
  await ended(first.id)

  await insertCallback(db, second, { sequence: 2, dueAt: new Date(), withTask: true })

  expect(await ended(second.id)).toEqual({ state: 'ABANDONED', attempts: 0 })
  expect(receiver.calls).toHaveLength(1)
})

test('a task that is delivered five times at once makes one call', async () => {
  receiver.answerWith({ status: 204, delayMs: 50 })
  const { id } = await seedCallback(db, { params: { target: receiver.url }, withTask: false })
  await db
    .insertInto('outbox')
    .values([1, 2, 3, 4, 5].map((epoch) => ({ queue: 'callback', subject: id, epoch })))
    .execute()

  expect(await ended(id)).toEqual({ state: 'DELIVERED', attempts: 1 })
  await eventually(
    async () => (await db.selectFrom('outbox').select('id').execute()).length === 0,
    { message: 'every task is carried' },
  )
  expect(callsFor(id)).toHaveLength(1)
  expect(await attemptsOf(id)).toHaveLength(1)
})

test('five workers that ask for the same callback at once make one call', async () => {
  receiver.answerWith({ status: 204, delayMs: 50 })
  const { id } = await seedCallback(db, {
    params: { target: receiver.url },
    dueAt: new Date(Date.now() - 1),
    withTask: false,
  })
  const workers = Array.from({ length: 5 }, () => aWorker())

  await Promise.all(workers.map((context) => deliver(context, id)))

  expect(callsFor(id)).toHaveLength(1)
  expect(await attemptsOf(id)).toEqual([{ number: 1, outcome: 'delivered', http_status: 204 }])
})

test('a worker that dies after the call costs one repeat, with the same id and bytes', async () => {
  const { id, body } = await seedCallback(db, { params: { target: receiver.url }, withTask: false })
  const dying = aWorker()
  dying.commits = { ...dying.commits, record: () => Promise.reject(new Error('killed')) }
  dying.callMsMax = 100
  dying.leaseMs = 400

  await expect(deliver(dying, id)).rejects.toThrow('killed')
  const attemptsBeforeItIsFound = await attemptsOf(id)
  await backdate(id)

  expect(await ended(id)).toEqual({ state: 'DELIVERED', attempts: 1 })
  expect(attemptsBeforeItIsFound).toEqual([])
  expect(callsFor(id).map((call) => call.body)).toEqual([
    JSON.parse(body.toString()),
    JSON.parse(body.toString()),
  ])
})

test('a worker that comes back after its callback was delivered by another changes nothing', async () => {
  const { id } = await seedCallback(db, { params: { target: receiver.url }, withTask: false })
  const { commits } = aWorker()
  const late = (await commits.take(id))!
  await backdate(id)
  await ended(id)

  const written = await commits.record({
    id,
    epoch: late.epoch,
    next: { kind: 'retry', at: new Date() },
  })

  expect(written).toBe(false)
  expect(await ended(id)).toEqual({ state: 'DELIVERED', attempts: 1 })
})

test('delivers what was due when the queue lost its wake-up', async () => {
  const { id } = await seedCallback(db, {
    params: { target: receiver.url },
    dueAt: new Date(Date.now() - 60_000),
    withTask: false,
  })

  expect(await ended(id)).toEqual({ state: 'DELIVERED', attempts: 1 })
})

test('a consumer that never answers does not hold up the others', async () => {
  const dead = await startCallbackReceiver()
  dead.answerWith({ delayMs: 60_000 })
  const stuck = await Promise.all(
    Array.from({ length: 80 }, () =>
      seedCallback(db, { params: { target: dead.url, retryParams } }),
    ),
  )
  await eventually(() => dead.calls.length === 8, { message: 'the dead consumer is being called' })

  const { id } = await seedCallback(db, { params: { target: receiver.url } })

  expect(await ended(id)).toEqual({ state: 'DELIVERED', attempts: 1 })
  expect(dead.calls).toHaveLength(8)
  await dead.stop()
  await db
    .deleteFrom('outbox')
    .where(
      'subject',
      'in',
      stuck.map((callback) => callback.id),
    )
    .execute()
})

test('is ready, and counts what it did', async () => {
  const ready = await service.api.inject({ url: '/health/ready' })
  const metrics = await service.api.inject({ url: '/metrics' })

  expect(ready.json()).toEqual({
    status: 'ready',
    checks: [
      { name: 'database', ok: true },
      { name: 'sweep', ok: true },
    ],
  })
  expect(metrics.body).toMatch(/callback_outcomes_total\{outcome="delivered",.*\} [1-9]/)
})

/** A worker of its own, as in another process. */
function aWorker(): DeliverContext {
  const callMsMax = 5_000
  return {
    commits: createCallbackCommits(db, 20),
    outbound: openOutbound({ allowed, callsPerOriginMax: 8, deadlineMs: callMsMax }),
    slots: createOriginSlots({
      callsPerOriginMax: 8,
      callMsMax,
      patienceMs: 1_000,
      delayMsMax: 10_000,
    }),
    allowed,
    unseal: (sealed) => sealed.toString(),
    leaseMs: 20_000,
    callMsMax,
    random: () => 0.5,
    metrics: createCallbackMetrics(createMetrics('test')),
    log,
  }
}

/** Lets time pass for a callback whose worker is gone. */
async function backdate(id: string): Promise<void> {
  const at = new Date(Date.now() - 60_000)
  await db
    .updateTable('callback')
    .set({ due_at: at, lease_until: at })
    .where('id', '=', id)
    .execute()
}
