import { randomUUID } from 'node:crypto'
import { sealedBox } from '@despatch/access/sealed-box'
import { callbackEnvelope } from '@despatch/contracts/callback/envelope'
import {
  callbackDestinationPurpose,
  callbackSecretPurpose,
  writeDestination,
} from '@despatch/domain/callback/destination'
import { renderTestMessage } from '@despatch/domain/callback/test-message'
import { insertSigningSecret } from '@despatch/store/callback/signing-secrets'
import { insertTestCallback } from '@despatch/store/callback/test-callback'
import { eventually } from '@despatch/testing/eventually'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startDelivery } from './a-delivery.ts'
import { secretKey, seedCallback, seedPrintJob } from './seed-callback.ts'

const retryParams = { enabled: true, maxRetryWindow: 60 }
const previousKey = 'cd'.repeat(32)
const delivered = { state: 'DELIVERED', endReason: null, attempts: 1 }
const dead = (endReason: string) => ({ state: 'DEAD', endReason, attempts: 1 })

const delivery = await shared(startDelivery())
const service = await delivery.startService({ DESPATCH_KEY_CALLBACKS_PREVIOUS: [previousKey] })

const attemptsOf = (id: string) =>
  delivery.database.db
    .selectFrom('callback_attempt')
    .select(['number', 'outcome', 'http_status', 'address', 'answer', 'failure'])
    .where('callback_id', '=', id)
    .orderBy('number')
    .execute()

async function makeSecret(consumerId: string, overlapSeconds: number): Promise<string> {
  const secret = `whsec_${Buffer.from(randomUUID()).toString('base64')}`
  const box = sealedBox(secretKey, { purpose: callbackSecretPurpose })
  await delivery.database.db.transaction().execute((tx) =>
    insertSigningSecret(tx, {
      id: randomUUID(),
      consumerId,
      secretSealed: box.seal(secret),
      overlapSeconds,
    }),
  )
  return secret
}

test("delivers the stored message with the consumer's credentials, and logs neither", async () => {
  const receiver = await delivery.startReceiver()
  receiver.answerWith({ body: 'thanks, SECRET-2 \u0000' })

  const { id, body } = await seedCallback(delivery.database.db, {
    target: `${receiver.url}?token=SECRET-1.b'-_`,
    authenticationHeader: 'Bearer SECRET-2',
  })

  expect(await delivery.ended(id)).toEqual(delivered)
  const [call] = receiver.calls
  expect(call).toMatchObject({
    method: 'POST',
    path: "/callbacks?token=SECRET-1.b'-_",
    headers: {
      authorization: 'Bearer SECRET-2',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'webhook-id': id,
      'x-correlation-id': 'correlation-1',
    },
    body: JSON.parse(body.toString()),
  })
  expect(call?.headers).not.toHaveProperty('webhook-signature')
  expect(callbackEnvelope.safeParse(call?.body).error).toBeUndefined()
  expect(await attemptsOf(id)).toEqual([
    {
      number: 1,
      outcome: 'delivered',
      http_status: 200,
      address: '127.0.0.1',
      answer: Buffer.from('thanks, ******** \u0000'),
      failure: null,
    },
  ])
  const line = await eventually(() => delivery.logged.find((text) => text.includes(id)), {
    message: 'the delivery is logged',
  })
  expect(line).toContain('callbacks.delivered')
  expect(delivery.logged.join('')).not.toMatch(/SECRET|127\.0\.0\.1:/)
})

test('a consumer can verify the message with either of its secrets, and with no other', async () => {
  const { db } = delivery.database
  const receiver = await delivery.startReceiver()
  const consumer = await insertConsumer(db)
  const earlier = await makeSecret(consumer.consumerId, 0)
  const later = await makeSecret(consumer.consumerId, 3_600)

  const { id, body } = await seedCallback(db, { target: receiver.url, consumer })
  await delivery.ended(id)

  const headers = receiver.calls[0]!.headers as Record<string, string>
  const sent = JSON.parse(body.toString())
  expect(new Webhook(earlier).verify(body, headers)).toEqual(sent)
  expect(new Webhook(later).verify(body, headers)).toEqual(sent)
  const other = `whsec_${Buffer.from(randomUUID()).toString('base64')}`
  expect(() => new Webhook(other).verify(body, headers)).toThrow()
})

test('a test message is sent to its own destination, sealed with a previous key', async () => {
  const { db } = delivery.database
  const receiver = await delivery.startReceiver()
  const { consumerId } = await insertConsumer(db)
  const id = randomUUID()
  const body = renderTestMessage({ messageId: id, at: new Date(), correlationId: id })
  const box = sealedBox(previousKey, { purpose: callbackDestinationPurpose })

  await insertTestCallback(db, {
    id,
    consumerId,
    origin: new URL(receiver.url).origin,
    body,
    destinationSealed: box.seal(writeDestination({ target: receiver.url })),
    retryParams: undefined,
  })

  expect(await delivery.ended(id)).toEqual(delivered)
  expect(receiver.calls.map((call) => [call.headers['x-correlation-id'], call.body])).toEqual([
    [id, JSON.parse(Buffer.from(body).toString())],
  ])
})

test('does not connect to a forbidden address', async () => {
  const { id } = await seedCallback(delivery.database.db, {
    target: 'http://169.254.169.254/latest?token=SECRET',
    retryParams,
  })

  expect(await delivery.ended(id)).toEqual(dead('unsendable'))
  expect(await attemptsOf(id)).toMatchObject([
    { outcome: 'unsendable', address: null, failure: 'target address' },
  ])
})

test('an interrupted call is repeated, and its attempt is listed', async () => {
  const { db } = delivery.database
  const receiver = await delivery.startReceiver()
  const printJob = await seedPrintJob(db, { target: receiver.url, retryParams })
  const id = randomUUID()
  // together, because the service takes a callback that is in no turn
  await delivery.database.pool.query(
    `with owed as (
       insert into callback (id, print_job_key, consumer_id, origin, sequence, status, body, due_at, attempt_epoch)
       values ($1, $2, $3, $4, 1, 'REJECTED', '{}', now() - interval '30 s', 1)
     )
     insert into callback_batch (id, origin, subjects, versions, calls_max, taken_at, leased_until)
     values ($1, $4, array[$1::uuid], array[1], 1, now() - interval '30 s', now() - interval '10 s')`,
    [id, printJob.key, printJob.consumer.consumerId, new URL(receiver.url).origin],
  )

  expect(await delivery.ended(id)).toEqual({ ...delivered, attempts: 2 })
  expect(await delivery.outcomes(id)).toEqual(['interrupted', 'delivered'])
  expect(receiver.calls).toHaveLength(1)
})

test('a consumer that never answers does not delay others', async () => {
  const { db } = delivery.database
  const stuck = await delivery.startReceiver()
  stuck.answerWith({ delayMs: 60_000 })
  await Promise.all(
    Array.from({ length: 40 }, () => seedCallback(db, { target: stuck.url, retryParams })),
  )
  await eventually(() => stuck.calls.length === 8, { message: 'the stuck consumer is called' })
  const receiver = await delivery.startReceiver()

  const { id } = await seedCallback(db, { target: receiver.url })

  expect(await delivery.ended(id)).toEqual(delivered)
  expect(stuck.calls).toHaveLength(8)
  // Its calls end now, before their deadline.
  await stuck.stop()
  const { origin } = new URL(stuck.url)
  const remove = db.deleteFrom('callback').where('origin', '=', origin)
  // the service changes these rows in another order, so either may end in a deadlock
  const isRemoved = () =>
    remove.execute().then(
      () => true,
      () => false,
    )
  await eventually(isRemoved, { message: 'the callbacks of the stuck consumer are removed' })
})

test('a failing origin is called less and less, and others as before', async () => {
  const { db } = delivery.database
  const failing = await delivery.startReceiver()
  failing.answerWith({ status: 500 })
  const origin = new URL(failing.url).origin
  const owed = await Promise.all(
    Array.from({ length: 20 }, () => seedCallback(db, { target: failing.url, retryParams })),
  )

  await eventually(
    () =>
      db
        .selectFrom('callback_origin')
        .select('origin')
        .where('origin', '=', origin)
        .where('breaker', '<>', 'closed')
        .executeTakeFirst(),
    { message: 'the breaker is open' },
  )
  const metrics = await service.api.inject({ url: '/metrics' })

  expect(metrics.body).toMatch(/callback_breakers_open\{service="callbacks"\} [1-9]/)
  const { due } = await db
    .selectFrom('callback')
    .select(({ fn }) => fn.countAll<number>().as('due'))
    .where('origin', '=', origin)
    .where('state', '=', 'DUE')
    .executeTakeFirstOrThrow()
  expect(due).toBe(owed.length)
})

test('is ready, and counts its calls', async () => {
  const ready = await service.api.inject({ url: '/health/ready' })
  const metrics = await service.api.inject({ url: '/metrics' })

  expect(ready.json()).toEqual({
    status: 'ready',
    checks: [
      { name: 'database', ok: true },
      { name: 'delivery', ok: true },
    ],
  })
  expect(metrics.body).toMatch(/callback_outcomes_total\{outcome="delivered",.*\} [1-9]/)
  expect(metrics.body).toMatch(/callback_taken_total\{service="callbacks"\} [1-9]/)
  expect(metrics.body).toMatch(/callback_start_lateness_seconds_count\{.*\} [1-9]/)
  expect(metrics.body).toMatch(/callback_attempt_duration_seconds_count\{.*\} [1-9]/)
  expect(metrics.body).toContain('callback_ambiguous_total{service="callbacks"}')
})
