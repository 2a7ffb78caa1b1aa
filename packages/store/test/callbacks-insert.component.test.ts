import { randomUUID } from 'node:crypto'
import { transact } from '@despatch/postgres/transact'
import { eventually } from '@despatch/testing/eventually'
import { listenForNudges } from '@despatch/work/nudges'
import { expect, onTestFinished, test } from 'vitest'
import { insertCallbacks } from '../src/callback/insert.ts'
import { dueCallbacks } from '../src/callback/nudge-deliverers.ts'
import { insertTestCallback } from '../src/callback/test-callback.ts'
import { aCallbackStore } from './a-callback-store.ts'

const { db, url, seed } = await aCallbackStore()

const owed = (key: string, sequence = 1) => ({
  id: randomUUID(),
  key,
  sequence,
  body: Buffer.from('{"a":1}'),
})
const owe = (...callbacks: ReturnType<typeof owed>[]) =>
  transact(db, (tx) => insertCallbacks(tx, callbacks, { kind: 'return', status: 'DESPATCHED' }))
const saved = () =>
  db
    .selectFrom('callback')
    .select([
      'id',
      'print_job_key',
      'consumer_id',
      'origin',
      'strict_contract_id',
      'kind',
      'status',
    ])
    .select(['state', 'end_reason', 'body', 'due_at', 'ended_at'])
    .orderBy('position')
    .execute()

test('saves callbacks with their consumer and origin', async () => {
  const first = owed(await seed.printJob())
  const second = owed(await seed.printJob({ callback_origin: null }))

  await owe(first, second)

  const common = {
    consumer_id: seed.consumerId,
    strict_contract_id: null,
    kind: 'return',
    status: 'DESPATCHED',
    state: 'DUE',
    end_reason: null,
    body: Buffer.from('{"a":1}'),
    due_at: expect.any(Date),
    ended_at: null,
  }
  expect(await saved()).toEqual([
    { ...common, id: first.id, print_job_key: first.key, origin: 'https://example.com' },
    { ...common, id: second.id, print_job_key: second.key, origin: 'unknown' },
  ])
})

test('those who deliver are nudged after the commit, and not after a rollback', async () => {
  let nudges = 0
  const listener = listenForNudges({
    url,
    name: 'deliverer',
    kind: dueCallbacks,
    onNudge: () => {
      nudges += 1
    },
    onError: () => {},
  })
  onTestFinished(() => listener.close())
  await eventually(() => nudges === 1, { message: 'it listens' })
  const callback = owed(await seed.printJob())

  await expect(
    transact(db, async (tx) => {
      await insertCallbacks(tx, [callback], { kind: 'status', status: 'DESPATCHED' })
      throw new Error('after all not')
    }),
  ).rejects.toThrow('after all not')
  expect(await saved()).toEqual([])
  await owe(callback)

  await eventually(() => nudges === 2, { message: 'the commit is heard of' })
})

test('callbacks in strict order wait for their turn', async () => {
  await db
    .updateTable('contract')
    .set({ callback_order: 'strict' })
    .where('id', '=', seed.contractId)
    .execute()

  await owe(owed(await seed.printJob()))

  expect(await saved()).toMatchObject([
    { state: 'WAITING', strict_contract_id: seed.contractId, due_at: null, ended_at: null },
  ])
})

test('a callback has the limit of calls that its contract has now', async () => {
  const contract = db.updateTable('contract').where('id', '=', seed.contractId)
  const key = await seed.printJob()
  await owe(owed(key, 1))
  await contract.set({ callback_concurrency: 64 }).execute()
  await owe(owed(key, 2))

  const callbacks = db.selectFrom('callback').select('calls_max').orderBy('position')
  expect(await callbacks.execute()).toEqual([{ calls_max: 8 }, { calls_max: 64 }])
})

test('after a 410 there are no new callbacks', async () => {
  await owe(owed(await seed.printJob({ callback_gone_at: new Date() })))

  expect(await saved()).toMatchObject([
    { state: 'DEAD', end_reason: 'gone', due_at: null, ended_at: expect.any(Date) },
  ])
})

test('a test message is due at once, with its own destination', async () => {
  const id = randomUUID()

  await insertTestCallback(db, {
    id,
    consumerId: seed.consumerId,
    origin: 'https://example.com:8443',
    body: Buffer.from('{"b":2}'),
    destinationSealed: Buffer.from('sealed'),
    retryParams: { enabled: true },
  })

  expect(await db.selectFrom('callback').selectAll().execute()).toMatchObject([
    {
      id,
      kind: 'test',
      print_job_key: null,
      status: null,
      sequence: 1,
      state: 'DUE',
      origin: 'https://example.com:8443',
      body: Buffer.from('{"b":2}'),
      destination_sealed: Buffer.from('sealed'),
      retry_params: { enabled: true },
      due_at: expect.any(Date),
    },
  ])
})
