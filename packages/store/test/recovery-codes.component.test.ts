import { randomBytes, randomUUID } from 'node:crypto'
import { insertConsumer } from '@despatch/store/access/consumers'
import {
  saveRecoveryCode,
  takeRecoveryTry,
  useRecoveryCode,
} from '@despatch/store/access/recovery-codes'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'

const rules = { lifeSeconds: 3_600, triesMax: 3, codesPerHourMax: 2 }
const database = await shared(aDatabase({ connectionsMax: 8 }))

async function aConsumer() {
  const consumerId = randomUUID()
  await insertConsumer(database.db, {
    id: consumerId,
    name: 'Notify',
    userName: consumerId,
    passwordHash: 'none',
    passwordExpiresOn: '2099-01-01',
    apiKeyPrefix: 'none',
    apiKeyHash: randomBytes(32),
    apiKeyExpiresOn: '2099-01-01',
    roles: ['consumer'],
    providerId: null,
  })
  const codeHash = randomBytes(32)
  const { db } = database
  const save = (hash = codeHash) => saveRecoveryCode(db, { consumerId, codeHash: hash }, rules)
  const take = () => takeRecoveryTry(db, consumerId)
  const use = (hash = codeHash) => useRecoveryCode(db, { consumerId, codeHash: hash })
  const set = (columns: string) =>
    database.pool.query(`update recovery_code set ${columns} where consumer_id = $1`, [consumerId])
  return { codeHash, save, take, use, set }
}

test('allows a limited number of attempts, even at the same time', async () => {
  const { save, take, codeHash } = await aConsumer()
  await save()

  const tries = await Promise.all(Array.from({ length: 8 }, take))

  expect(tries.filter((hash) => hash?.equals(codeHash))).toHaveLength(3)
  expect(tries.filter((hash) => hash === undefined)).toHaveLength(5)
})

test('can be used once, even with concurrent attempts, and also after its last attempt', async () => {
  const { save, take, use } = await aConsumer()
  await save()
  for (let attempt = 0; attempt < 3; attempt += 1) await take()

  const uses = await Promise.all([use(), use(), use()])

  expect(uses.filter(Boolean)).toEqual([true])
  expect(await take()).toBeUndefined()
})

test('is invalid after it has expired or a newer one was created', async () => {
  const { save, take, use, set, codeHash } = await aConsumer()
  await save()
  const newer = randomBytes(32)
  await save(newer)
  expect(await use(codeHash)).toBe(false)
  expect(await take()).toEqual(newer)

  await set('expires_at = now()')
  expect([await take(), await use(newer)]).toEqual([undefined, false])
})

test('starts with all attempts when it replaces an older code', async () => {
  const { save, take, use } = await aConsumer()
  await save()
  await use()
  await save(randomBytes(32))

  const tries = [await take(), await take(), await take(), await take()]

  expect(tries.map((hash) => hash !== undefined)).toEqual([true, true, true, false])
})

test('is created only a limited number of times in any hour, even at the same time', async () => {
  const { save, take, set, codeHash } = await aConsumer()

  const outcomes = await Promise.all([save(), save(), save(), save()])
  expect(outcomes.filter((outcome) => outcome === 'saved')).toHaveLength(2)
  expect(await save(randomBytes(32))).toBe('too-many')
  expect(await take()).toEqual(codeHash)

  await set(`issued_at = array[now() - interval '61 minutes', now() - interval '59 minutes']`)
  expect([await save(), await save()]).toEqual(['saved', 'too-many'])
})

test('of a consumer without a code allows no attempts', async () => {
  const { take, use } = await aConsumer()

  expect([await take(), await use()]).toEqual([undefined, false])
})
