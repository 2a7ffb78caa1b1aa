import { hashApiKey } from '@despatch/access/api-keys'
import { createAuthenticator, requireRole } from '@despatch/access/authenticate-caller'
import { changeApiKey } from '@despatch/access/change-api-key'
import { replacePassword, setPassword } from '@despatch/access/change-password'
import { endTokens } from '@despatch/access/end-tokens'
import { sealedBox } from '@despatch/access/sealed-box'
import { seedConsumer } from '@despatch/access/seed'
import { openSigningKey } from '@despatch/access/signing-key'
import { issueToken } from '@despatch/access/tokens'
import { listPublicKeys } from '@despatch/access/verification-keys'
import { setConsumerDisabled } from '@despatch/store/access/consumer-credentials'
import { findAccount, findConsumer, insertProvider } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { describe, expect, onTestFinished, test } from 'vitest'

const secretKeyHex = 'ab'.repeat(32)
const second = 1_000
const hour = 3_600 * second

async function openForThisTest() {
  const database = await aDatabase({ connectionsMax: 6 })
  onTestFinished(database.close)
  return database
}

const aSeed = {
  userName: 'notify',
  name: 'Notify',
  password: 'correct horse',
  apiKey: 'right-key',
  roles: ['consumer'] as const,
  contracts: [],
}

async function aSignedInConsumer() {
  const { db } = await openForThisTest()
  const clock = { now: new Date() }
  const now = () => clock.now
  const consumerId = await seedConsumer(db, aSeed, clock.now)
  const signingKey = await openSigningKey({ db, secretKeyHex, now })
  const token = await issueToken(await signingKey(), { consumerId, roles: ['consumer'] }, clock.now)
  const authenticateCaller = createAuthenticator({ db, now })
  const pass = (ms: number) => {
    clock.now = new Date(clock.now.getTime() + ms)
  }
  const change = (values: object) =>
    db.updateTable('consumer').set(values).where('id', '=', consumerId).execute()
  /** Issues a token as `authenticate` does. */
  const issue = async () => {
    const { roles, tokenGeneration: generation } = (await findConsumer(db, consumerId))!
    return issueToken(await signingKey(), { consumerId, roles, generation }, clock.now)
  }
  return { db, clock, now, pass, change, consumerId, signingKey, token, issue, authenticateCaller }
}

const refused = expect.objectContaining({
  kind: 'not-authenticated',
  message: 'API Key or JWT is either not provided, expired or invalid',
})

test.for(['', 'Bearer ', 'bearer ', 'BEARER  '])(
  'accepts the JWT after %j, with the key of the same consumer',
  async (scheme) => {
    const { authenticateCaller, token, consumerId } = await aSignedInConsumer()

    const caller = await authenticateCaller({
      authorization: `${scheme}${token}`,
      'x-api-key': 'right-key',
    })

    expect(caller).toEqual({
      consumerId,
      apiKeyHash: hashApiKey('right-key'),
      roles: ['consumer'],
      usagePlan: 'standard',
    })
  },
)

test('refuses absent, altered, forged or foreign credentials with the same text', async () => {
  const { authenticateCaller, token, db, signingKey, consumerId, now } = await aSignedInConsumer()
  const otherId = await seedConsumer(db, { ...aSeed, userName: 'other', apiKey: 'other-key' })
  const [header, claims, signature] = token.split('.') as [string, string, string]
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const elsewhere = await openForThisTest()
  const foreignKey = await openSigningKey({ db: elsewhere.db, secretKeyHex })
  const { kid } = await signingKey()
  const holder = { consumerId, roles: ['consumer'] as const }
  const forged = await issueToken({ ...(await foreignKey()), kid }, holder, now())
  const ofNobody = await issueToken(
    await signingKey(),
    { ...holder, consumerId: '00000000-0000-4000-8000-000000000000' },
    now(),
  )

  const headers: [name: string, authorization: string | undefined, apiKey: string | undefined][] = [
    ['no JWT', undefined, 'right-key'],
    ['no key', token, undefined],
    ['an empty key', token, ''],
    ['another key', token, 'wrong-key'],
    ['the key of another consumer', token, 'other-key'],
    ['a scheme and nothing', 'Bearer', 'right-key'],
    ['another scheme', `Basic ${token}`, 'right-key'],
    ['no token at all', 'abc', 'right-key'],
    [
      'other claims',
      `${header}.${encode({ iss: 'despatch', sub: otherId, iat: 1, exp: 9e9 })}.${signature}`,
      'other-key',
    ],
    ['no signature', `${encode({ alg: 'none' })}.${claims}.`, 'right-key'],
    ['a cut signature', token.slice(0, -4), 'right-key'],
    ['a key of another deployment', forged, 'right-key'],
    ['an unknown key', await issueToken(await foreignKey(), holder, now()), 'right-key'],
    ['a consumer who is not there', ofNobody, 'right-key'],
    ['a token without end', 'a'.repeat(100_000), 'right-key'],
  ]
  for (const [name, authorization, apiKey] of headers) {
    const given = {
      ...(authorization !== undefined && { authorization }),
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    }
    await expect(authenticateCaller(given), name).rejects.toEqual(refused)
  }
})

test('refuses a JWT after an hour, even if it was accepted before', async () => {
  const { authenticateCaller, token, pass } = await aSignedInConsumer()
  const headers = { authorization: token, 'x-api-key': 'right-key' }

  pass(hour - second)
  await expect(authenticateCaller(headers)).resolves.toBeDefined()
  pass(second)
  await expect(authenticateCaller(headers)).rejects.toEqual(refused)
})

test('accepts a key on its last day, and refuses it from the day after', async () => {
  const { authenticateCaller, token, change, now } = await aSignedInConsumer()
  const headers = { authorization: token, 'x-api-key': 'right-key' }
  const today = now().toISOString().slice(0, 10)
  const yesterday = new Date(now().getTime() - 24 * hour).toISOString().slice(0, 10)

  await change({ api_key_expires_on: today })
  await expect(authenticateCaller(headers, undefined, { fresh: true })).resolves.toBeDefined()
  await change({ api_key_expires_on: yesterday })
  await expect(authenticateCaller(headers, undefined, { fresh: true })).rejects.toEqual(refused)
})

test('refuses a disabled consumer after a second, or at once for fresh checks', async () => {
  const { authenticateCaller, token, change, pass } = await aSignedInConsumer()
  const headers = { authorization: token, 'x-api-key': 'right-key' }
  await authenticateCaller(headers)

  await change({ disabled_at: new Date() })

  pass(second - 1)
  expect(await authenticateCaller(headers)).toBeDefined()
  pass(1)
  await expect(authenticateCaller(headers)).rejects.toEqual(refused)

  await change({ disabled_at: null })
  await expect(authenticateCaller(headers)).resolves.toBeDefined()
  await change({ disabled_at: new Date() })
  await expect(authenticateCaller(headers, undefined, { fresh: true })).rejects.toEqual(refused)
})

describe('a token from before a change', () => {
  type Signed = Awaited<ReturnType<typeof aSignedInConsumer>>
  const newPassword = 'Another-passw0rd'
  const changeOwnPassword = async ({ db, consumerId, clock: { now } }: Signed, given = {}) => {
    const consumer = (await findAccount(db, consumerId))!
    const order = { consumer, newPassword, actor: 'test', by: 'password', now, ...given } as const
    expect(await replacePassword(db, order)).toBe(true)
  }
  /** Returns the new key. */
  const changeKey = async ({ db, consumerId }: Signed, given = {}) => {
    const change = await changeApiKey({ db, consumerId, actor: 'test', ...given })
    return change.kind === 'changed' ? change.apiKey : change.kind
  }
  const expectedHash = hashApiKey('right-key')
  const setDisabled = ({ db, consumerId }: Signed, isDisabled: boolean) =>
    setConsumerDisabled(db, { consumerId, isDisabled })

  /** Acts, and returns whether the token of before and a later one work a second after it. */
  async function afterwards(act: (signed: Signed) => Promise<unknown>) {
    const signed = await aSignedInConsumer()
    const { authenticateCaller, issue, pass } = signed
    const before = await issue()
    const works = (authorization: string, apiKey: string) =>
      Promise.resolve(authenticateCaller({ authorization, 'x-api-key': apiKey })).then(
        () => true,
        () => false,
      )
    expect(await works(before, 'right-key')).toBe(true)

    const newKey = await act(signed)
    pass(second)

    const key = typeof newKey === 'string' ? newKey : 'right-key'
    return { before: await works(before, key), later: await works(await issue(), key) }
  }

  test.each<[string, (signed: Signed) => Promise<unknown>]>([
    ['changes its own password', (signed) => changeOwnPassword(signed)],
    ['changes its own key', (signed) => changeKey(signed, { expectedHash })],
  ])('is valid after the consumer %s', async (_name, act) => {
    expect(await afterwards(act)).toEqual({ before: true, later: true })
  })

  test.each<[string, (signed: Signed) => Promise<unknown>]>([
    [
      'an operator resets the password',
      ({ db, consumerId }) => setPassword(db, { consumerId, newPassword, actor: 'test' }),
    ],
    ['an operator replaces the API key', (signed) => changeKey(signed)],
    [
      'the consumer is disabled, also when it is enabled again',
      async (signed) => {
        await setDisabled(signed, true)
        await setDisabled(signed, false)
      },
    ],
    [
      'the consumer changes its password by a recovery code',
      (signed) => changeOwnPassword(signed, { by: 'verify-code' }),
    ],
    [
      'the consumer changes its own password and ends its tokens',
      (signed) => changeOwnPassword(signed, { endTokens: true }),
    ],
    [
      'the consumer changes its own key and ends its tokens',
      (signed) => changeKey(signed, { expectedHash, endTokens: true }),
    ],
    [
      'an operator ends the tokens',
      ({ db, consumerId }) => endTokens(db, { consumerId, actor: 'test' }),
    ],
  ])('is refused after %s', async (_name, act) => {
    expect(await afterwards(act)).toEqual({ before: false, later: true })
  })
})

test('accepts a changed key at once', async () => {
  const { authenticateCaller, token, change } = await aSignedInConsumer()
  await authenticateCaller({ authorization: token, 'x-api-key': 'right-key' })

  await change({ api_key_hash: hashApiKey('changed-key') })

  const caller = await authenticateCaller({ authorization: token, 'x-api-key': 'changed-key' })
  expect(caller.apiKeyHash).toEqual(hashApiKey('changed-key'))
  await expect(
    authenticateCaller({ authorization: token, 'x-api-key': 'right-key' }),
  ).rejects.toEqual(refused)
})

test("requires the role of an operation, and returns the provider of a provider's account", async () => {
  const { db, signingKey, now } = await aSignedInConsumer()
  await insertProvider(db, { id: 'acme', name: 'Acme Print', printLocations: ['swansea'] })
  const consumerId = await seedConsumer(db, {
    ...aSeed,
    userName: 'acme',
    apiKey: 'acme-key',
    roles: ['provider'],
    providerId: 'acme',
  })
  const token = await issueToken(await signingKey(), { consumerId, roles: ['provider'] }, now())
  const headers = { authorization: token, 'x-api-key': 'acme-key' }

  const caller = await createAuthenticator({ db, role: 'provider' })(headers)

  expect(caller).toMatchObject({ consumerId, roles: ['provider'], providerId: 'acme' })
  await expect(createAuthenticator({ db, role: 'consumer' })(headers)).rejects.toMatchObject({
    kind: 'not-permitted',
  })
  expect(() => requireRole(caller, 'operator')).toThrow('This operation requires the role operator')
})

test('a database that does not answer is a fault, not a refusal', async () => {
  const { token } = await aSignedInConsumer()
  const closed = await openForThisTest()
  await closed.pool.query('drop table signing_key')

  const authenticateCaller = createAuthenticator({ db: closed.db })

  await expect(
    authenticateCaller({ authorization: token, 'x-api-key': 'right-key' }),
  ).rejects.not.toEqual(refused)
})

test('only one of several processes that start at once creates the signing key, and all use it', async () => {
  const { db } = await openForThisTest()

  const sources = await Promise.all(
    Array.from({ length: 6 }, () => openSigningKey({ db, secretKeyHex })),
  )

  const kids = await Promise.all(sources.map(async (source) => (await source()).kid))
  const published = await listPublicKeys(db)
  expect(published).toHaveLength(1)
  expect(new Set(kids)).toEqual(new Set([published[0]?.kid]))
  const stored = await db.selectFrom('signing_key').select('private_key_sealed').execute()
  expect(stored).toHaveLength(1)
  expect(stored[0]?.private_key_sealed.includes('PRIVATE KEY')).toBe(false)
})

test('does not start with another secret key', async () => {
  const { db } = await openForThisTest()
  await openSigningKey({ db, secretKeyHex })

  await expect(openSigningKey({ db, secretKeyHex: 'cd'.repeat(32) })).rejects.toThrow(
    'The signing key was sealed with another secret key',
  )
})

test('starts with another secret key if the previous one is named', async () => {
  const { db } = await openForThisTest()
  const { kid } = await (await openSigningKey({ db, secretKeyHex }))()

  const source = await openSigningKey({
    db,
    secretKeyHex: 'cd'.repeat(32),
    previousKeysHex: [secretKeyHex],
  })

  expect((await source()).kid).toBe(kid)
})

test('after a change of keys, signs with the new key and still accepts tokens of the old', async () => {
  const { db, now, pass, signingKey, consumerId, token, authenticateCaller } =
    await aSignedInConsumer()
  const oldKid = (await signingKey()).kid
  await authenticateCaller({ authorization: token, 'x-api-key': 'right-key' })

  await db.updateTable('signing_key').set({ retired_at: new Date() }).execute()
  await openSigningKey({ db, secretKeyHex, now })
  pass(6 * second)

  const { kid } = await signingKey()
  const holder = { consumerId, roles: ['consumer'] as const }
  const newToken = await issueToken(await signingKey(), holder, now())
  expect(kid).not.toBe(oldKid)
  expect((await listPublicKeys(db)).map((key) => key.kid)).toEqual([kid, oldKid])
  for (const authorization of [token, newToken]) {
    const caller = await authenticateCaller({ authorization, 'x-api-key': 'right-key' })
    expect(caller.consumerId).toBe(consumerId)
  }
})

test('a value sealed for callbacks cannot be opened as a signing key', async () => {
  const { db } = await openForThisTest()
  await openSigningKey({ db, secretKeyHex })
  await db
    .updateTable('signing_key')
    .set({ private_key_sealed: sealedBox(secretKeyHex).seal('Bearer secret') })
    .execute()

  await expect(openSigningKey({ db, secretKeyHex })).rejects.toThrow('cannot be unsealed')
})

test('repeated or concurrent seeding creates one consumer and one of each contract', async () => {
  const { db } = await openForThisTest()
  const contracts = ['NOTIFY', 'PDF'].map(
    (templateReference) =>
      ({ jobType: 'NOTIFY', templateReference, production: 'letter' }) as const,
  )
  const now = new Date('2026-01-01T12:00:00Z')

  const ids = await Promise.all([
    seedConsumer(db, { ...aSeed, contracts }, now),
    seedConsumer(db, { ...aSeed, contracts }, now),
  ])
  const again = await seedConsumer(db, { ...aSeed, password: 'other', apiKey: 'other', contracts })

  expect(new Set([...ids, again]).size).toBe(1)
  expect(await findConsumer(db, again)).toMatchObject({
    userName: 'notify',
    passwordExpiresOn: '2026-04-01',
    apiKeyHash: hashApiKey('right-key'),
    apiKeyExpiresOn: '2027-01-01',
  })
  const stored = await db.selectFrom('contract').select('template_reference').execute()
  expect(stored.map((each) => each.template_reference).toSorted()).toEqual(['NOTIFY', 'PDF'])
})
