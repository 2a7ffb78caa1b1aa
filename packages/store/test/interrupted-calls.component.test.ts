import { secondsAgo } from '@despatch/testing/seed-print-job'
import { aRecord, takeOnce } from '@despatch/testing/take-callbacks'
import { giveUpBatches } from '@despatch/work/batch-lease'
import { expect, test } from 'vitest'
import { callbackKind } from '../src/callback/callback-kind.ts'
import { recordCallbacks } from '../src/callback/record.ts'
import { aCallbackStore } from './a-callback-store.ts'

const { db, pool, seed, aCallback } = await aCallbackStore()

test('a call of a process that died counts as an interrupted attempt and is made again', async () => {
  const key = await seed.printJob({
    callback_params: '{"retryParams":{"enabled":true,"maxRetryWindow":60}}',
  })
  const leaseUntil = new Date('2026-03-02T10:00:20.000Z')
  const plannedAt = new Date('2026-03-02T09:59:59.000Z')
  const id = await seed.callback({
    print_job_key: key,
    due_at: plannedAt,
    attempt_epoch: 7,
  })
  await seed.underWay(id, leaseUntil)

  expect(await giveUpBatches(db, callbackKind)).toBe(1)

  const { callbacks } = await takeOnce(pool)

  expect(callbacks).toMatchObject([
    {
      id,
      epoch: 8,
      attempts: 1,
      firstAttemptAt: new Date('2026-03-02T10:00:00.000Z'),
      windowEndsAt: new Date('2026-03-02T10:01:00.000Z'),
      plannedAt,
    },
  ])
  expect(await db.selectFrom('callback_attempt').selectAll().execute()).toEqual([
    {
      callback_id: id,
      number: 1,
      planned_at: plannedAt,
      started_at: new Date('2026-03-02T10:00:00.000Z'),
      duration_ms: 20_000,
      outcome: 'interrupted',
      http_status: null,
      next_at: expect.any(Date),
      address: null,
      answer: null,
      failure: null,
    },
  ])
})

test.for([
  ['as its first attempt set it', '2026-03-02T10:00:45.000Z', '2026-03-02T10:00:45.000Z'],
  ['from its first attempt, if nothing has set it', null, '2026-03-02T10:00:30.000Z'],
] as const)('the window of an interrupted call ends %s', async ([, stored, end]) => {
  const key = await seed.printJob({
    callback_params: '{"retryParams":{"enabled":true,"maxRetryWindow":60}}',
  })
  const firstAttemptAt = new Date('2026-03-02T09:59:30.000Z')
  const id = await seed.callback({
    print_job_key: key,
    attempts: 1,
    first_attempt_at: firstAttemptAt,
    window_ends_at: stored && new Date(stored),
  })
  await seed.underWay(id, new Date('2026-03-02T10:00:20.000Z'))

  await giveUpBatches(db, callbackKind)

  const { callbacks } = await takeOnce(pool)

  expect(callbacks).toMatchObject([{ attempts: 2, firstAttemptAt, windowEndsAt: new Date(end) }])
})

test('calls that have ended are not interrupted, although their process died before it took others', async () => {
  for (let index = 0; index < 2; index++) await aCallback()
  const { callbacks } = await takeOnce(pool)
  await recordCallbacks(pool, [
    aRecord(callbacks[0]!, { kind: 'delivered' }),
    aRecord(callbacks[1]!, { kind: 'retry', at: secondsAgo(-60) }),
  ])
  await db
    .updateTable('callback_batch')
    .set({ leased_until: secondsAgo(9) })
    .execute()

  expect(await giveUpBatches(db, callbackKind)).toBe(0)

  const { rows } = await pool.query('select outcome from callback_attempt order by outcome')
  expect(rows).toEqual([{ outcome: 'delivered' }, { outcome: 'refused' }])
})

test('each of several calls is interrupted by its own times, and other callbacks are not touched', async () => {
  const calls = [
    { window: 60, leaseUntil: new Date('2026-03-02T10:00:20.000Z') },
    { window: 3_600, leaseUntil: new Date('2026-03-02T11:00:20.000Z') },
  ]
  const interrupted: { id: string; first_attempt_at: Date; window_ends_at: Date }[] = []
  for (const { window, leaseUntil } of calls) {
    const key = await seed.printJob({
      callback_params: `{"retryParams":{"enabled":true,"maxRetryWindow":${window}}}`,
    })
    const id = await seed.callback({ print_job_key: key })
    await seed.underWay(id, leaseUntil)
    const startedAt = leaseUntil.getTime() - 20_000
    interrupted.push({
      id,
      first_attempt_at: new Date(startedAt),
      window_ends_at: new Date(startedAt + window * 1_000),
    })
  }
  await aCallback()
  const ended = await aCallback({ state: 'DEAD', end_reason: 'gone', ended_at: secondsAgo(1) })
  await seed.underWay(ended, secondsAgo(9))

  expect(await giveUpBatches(db, callbackKind)).toBe(2)

  const touched = db
    .selectFrom('callback')
    .where((eb) => eb.or([eb('attempts', '>', 0), eb('attempt_epoch', '>', 0)]))
  expect(
    await touched
      .select(['id', 'first_attempt_at', 'window_ends_at'])
      .orderBy('first_attempt_at')
      .execute(),
  ).toEqual(interrupted)
})
