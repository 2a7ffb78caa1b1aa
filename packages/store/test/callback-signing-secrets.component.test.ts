import { randomUUID } from 'node:crypto'
import { aDatabase } from '@despatch/testing/a-database'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import {
  insertSigningSecret,
  listConsumerSecrets,
  listLiveSecrets,
  removeSigningSecret,
} from '../src/callback/signing-secrets.ts'

const { db } = await shared(aDatabase())
let consumerId: string

beforeEach(async () => {
  consumerId = (await insertConsumer(db)).consumerId
})

const create = (secret: string, overlapSeconds = 3_600) =>
  db.transaction().execute((tx) =>
    insertSigningSecret(tx, {
      id: randomUUID(),
      consumerId,
      secretSealed: Buffer.from(secret),
      overlapSeconds,
    }),
  )
const live = async () =>
  (await listLiveSecrets(db, [consumerId])).get(consumerId)?.map((secret) => secret.toString())

test('a consumer without a secret has no valid secret', async () => {
  expect(await listLiveSecrets(db, [consumerId])).toEqual(new Map())
  expect(await listConsumerSecrets(db, consumerId)).toEqual([])
})

test('the first secret signs until it is replaced', async () => {
  const created = await create('first')

  expect(created).toEqual({
    secretId: expect.any(String),
    createdAt: expect.any(Date),
    expiresAt: null,
  })
  expect(await listConsumerSecrets(db, consumerId)).toEqual([created])
  expect(await live()).toEqual(['first'])
})

test('a previous secret stays valid beside a new one during the overlap, and a third secret is refused until then', async () => {
  await create('first')
  await create('second')

  expect(await create('third')).toBe('full')
  expect(await live()).toEqual(['second', 'first'])
  const [newest, before] = await listConsumerSecrets(db, consumerId)
  expect(newest!.expiresAt).toBeNull()
  expect(before!.expiresAt!.getTime() - newest!.createdAt.getTime()).toBe(3_600_000)

  await sql`update callback_secret set expires_at = now() where expires_at is not null`.execute(db)
  expect(await live()).toEqual(['second'])
  expect(await create('third')).not.toBe('full')
  expect(await live()).toEqual(['third', 'second'])
})

test('without an overlap the previous secret is invalid at once', async () => {
  await create('first')
  await create('second', 0)

  expect(await live()).toEqual(['second'])
})

test('a deleted secret is invalid at once, and another one can be created', async () => {
  const first = await create('first')
  await create('second')
  if (first === 'full') throw new Error('There is room')

  expect(await removeSigningSecret(db, randomUUID(), first.secretId)).toBe(false)
  expect(await removeSigningSecret(db, consumerId, first.secretId)).toBe(true)
  expect(await removeSigningSecret(db, consumerId, first.secretId)).toBe(false)

  expect(await live()).toEqual(['second'])
  expect(await create('third')).not.toBe('full')
})

test('only two of several secrets that are created at once are saved', async () => {
  const made = await Promise.all(['a', 'b', 'c', 'd'].map((secret) => create(secret)))

  expect(made.filter((secret) => secret === 'full')).toHaveLength(2)
  expect(await live()).toHaveLength(2)
})

test('finds the secrets of several consumers together', async () => {
  await create('mine')
  const mine = consumerId
  consumerId = (await insertConsumer(db)).consumerId
  await create('theirs')

  expect(await listLiveSecrets(db, [mine, consumerId])).toEqual(
    new Map([
      [mine, [Buffer.from('mine')]],
      [consumerId, [Buffer.from('theirs')]],
    ]),
  )
})

test('a new secret leaves those of other consumers as they are', async () => {
  await create('theirs, expired')
  await create('theirs')
  await sql`update callback_secret set expires_at = now() where expires_at is not null`.execute(db)
  const theirs = () =>
    db
      .selectFrom('callback_secret')
      .selectAll()
      .where('consumer_id', '=', other)
      .orderBy('id')
      .execute()
  const other = consumerId
  const before = await theirs()
  consumerId = (await insertConsumer(db)).consumerId

  await create('mine')
  await create('mine, newer', 0)

  expect(await theirs()).toEqual(before)
})

test('a secret that is to expire does so, although another is created in between', async () => {
  await create('first')
  const second = await create('second', 60)
  if (second === 'full') throw new Error('There is room')
  await removeSigningSecret(db, consumerId, second.secretId)
  const before = await listConsumerSecrets(db, consumerId)

  await create('third', 3_600)

  const [, first] = await listConsumerSecrets(db, consumerId)
  expect(first).toEqual(before[0])
})

test('a secret that has expired cannot be deleted', async () => {
  const first = await create('first')
  if (first === 'full') throw new Error('There is room')
  await create('second', 0)

  expect(await removeSigningSecret(db, consumerId, first.secretId)).toBe(false)
})
