import { hashApiKey } from '@despatch/access/api-keys'
import { setPassword } from '@despatch/access/change-password'
import { createConsumer, generatePassword } from '@despatch/access/create-consumer'
import { verifyPassword } from '@despatch/access/passwords'
import { findPasswordFaults } from '@despatch/domain/access/password-policy'
import { findAccount } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { expect, onTestFinished, test } from 'vitest'

const actor = 'operator:1'
const now = new Date('2026-01-01T12:00:00Z')

async function someConsumers() {
  const database = await aDatabase()
  onTestFinished(database.close)
  const { db } = database
  const auditEvents = () =>
    db
      .selectFrom('audit_event')
      .select(['actor', 'action', 'consumer_id', 'detail'])
      .orderBy('id')
      .execute()
  const createdConsumer = async (changes: object = {}) => {
    const given = { userName: 'notify', name: 'Notify', roles: ['consumer'] as const, ...changes }
    const created = await createConsumer(db, given, { actor, now })
    if (created.kind !== 'created') throw new Error(created.kind)
    return created
  }
  return { ...database, auditEvents, createdConsumer }
}

test('creates a consumer whose credentials follow the policy, and audits who created it', async () => {
  const { db, createdConsumer, auditEvents } = await someConsumers()

  const { consumerId, password, apiKey } = await createdConsumer({
    email: 'ops@example.test',
    services: ['print-request', 'driver-find'],
  })

  const consumer = await findAccount(db, consumerId)
  expect(findPasswordFaults(password)).toEqual([])
  expect(await verifyPassword(consumer!.passwordHash, password)).toBe(true)
  expect(consumer).toMatchObject({
    userName: 'notify',
    email: 'ops@example.test',
    services: ['print-request', 'driver-find'],
    usagePlan: 'standard',
    passwordExpiresOn: '2026-04-01',
    apiKeyExpiresOn: '2027-01-01',
    apiKeyHash: hashApiKey(apiKey),
    isApiKeyChanging: false,
  })
  expect(await auditEvents()).toEqual([
    {
      actor,
      action: 'consumer.created',
      consumer_id: consumerId,
      detail: { roles: ['consumer'], services: ['print-request', 'driver-find'] },
    },
  ])
})

test('a user name is given once, even when three requests ask for it at the same time', async () => {
  const { db, auditEvents } = await someConsumers()
  const given = { userName: 'notify', name: 'Notify', roles: ['consumer'] as const }

  const outcomes = await Promise.all([1, 2, 3].map(() => createConsumer(db, given, { actor })))

  expect(outcomes.map(({ kind }) => kind).sort()).toEqual([
    'created',
    'user-name-taken',
    'user-name-taken',
  ])
  expect(await auditEvents()).toHaveLength(1)
})

test('names everything that is wrong with a user name, an e-mail address and a password', async () => {
  const { createdConsumer } = await someConsumers()

  const making = createdConsumer({ userName: 'nоtify', email: 'x\r\n@y', password: 'Passw0rd' })

  await expect(making).rejects.toMatchObject({
    kind: 'invalid-field',
    faults: [
      { field: 'userName', detail: 'userName must be 1 to 255 visible ASCII characters' },
      { field: 'email', detail: 'email must be an e-mail address of ASCII characters' },
      { field: 'password', detail: 'password must have a special character' },
    ],
  })
})

test('sets a password for an operator, according to the policy', async () => {
  const { db, createdConsumer, auditEvents } = await someConsumers()
  const { consumerId, password } = await createdConsumer()
  const set = (newPassword: string, id = consumerId) =>
    setPassword(db, { consumerId: id, newPassword, actor, now })

  expect(await set('short')).toMatchObject({ kind: 'refused' })
  expect(await set(password)).toMatchObject({
    kind: 'refused',
    faults: [{ rule: 'must not be the current password' }],
  })
  expect(await set('Correct horse 1!', '00000000-0000-4000-8000-000000000000')).toEqual({
    kind: 'absent',
  })
  expect(await set('Correct horse 1!')).toEqual({
    kind: 'changed',
    passwordExpiresOn: '2026-04-01',
  })

  const consumer = await findAccount(db, consumerId)
  expect(await verifyPassword(consumer!.passwordHash, 'Correct horse 1!')).toBe(true)
  expect((await auditEvents()).at(-1)).toEqual({
    actor,
    action: 'password.changed',
    consumer_id: consumerId,
    detail: { by: 'operator', expiresOn: '2026-04-01', endsTokens: true },
  })
})

test('the audit log is append-only', async () => {
  const { createdConsumer, pool } = await someConsumers()
  await createdConsumer()

  for (const statement of [
    'update audit_event set actor = 1',
    'delete from audit_event',
    'truncate audit_event',
  ]) {
    await expect(pool.query(statement), statement).rejects.toThrow()
  }
  const { rows } = await pool.query('select actor from audit_event')
  expect(rows).toEqual([{ actor }])
})

test('generated passwords follow the policy', () => {
  const faults = Array.from({ length: 500 }, () => findPasswordFaults(generatePassword())).flat()

  expect(faults).toEqual([])
})
