import { hashApiKey } from '@despatch/access/api-keys'
import { verifyPassword } from '@despatch/access/passwords'
import { findAccount, findConsumer } from '@despatch/store/access/consumers'
import { findActiveSigningKey, listPublicJwks } from '@despatch/store/access/signing-keys'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, passwordOfAll, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
/** The admin repeats its own password. */
const repeated = { password: passwordOfAll }

describe('POST /consumers/{consumerId}/rotate-key', () => {
  test('200: returns a new API key only once, and audits the change', async () => {
    const consumerId = await administration.aConsumer('rotates')

    const answer = await administration.asAdmin(
      'POST',
      `/consumers/${consumerId}/rotate-key`,
      repeated,
    )

    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).toEqual({
      apiKey: expect.stringMatching(/^[\w-]{43}$/),
      apiKeyExpiry: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
    const stored = await findAccount(administration.db, consumerId)
    expect(stored?.apiKeyHash).toEqual(hashApiKey(answer.body.apiKey))
    expect(await administration.recorded(consumerId)).toEqual([
      { action: 'api-key.changed', actor: `consumer:${administration.ids.admin}` },
      { action: 'consumer.created', actor: `consumer:${administration.ids.admin}` },
    ])
  })

  test('409: of two concurrent changes one returns a key, and that key works', async () => {
    const consumerId = await administration.aConsumer('rotated-twice')

    const answers = await Promise.all([
      administration.asAdmin('POST', `/consumers/${consumerId}/rotate-key`, repeated),
      administration.asAdmin('POST', `/consumers/${consumerId}/rotate-key`, repeated),
    ])

    const [given, refused] = answers.sort((one, other) => one.status - other.status)
    expect(given?.status).toBe(200)
    expect(refused).toMatchObject(
      refusal(
        '409 CONFLICT',
        'ApiKeyChanging',
        'The API key is being changed. Try again in a minute',
        'API key is being changed',
      ),
    )
    const stored = await findAccount(administration.db, consumerId)
    expect(stored?.apiKeyHash).toEqual(hashApiKey(given?.body.apiKey))
  })
})

describe('POST /consumers/{consumerId}/reset-password', () => {
  test('200: returns a generated password only once, and audits it', async () => {
    const consumerId = await administration.aConsumer('forgets')

    const answer = await administration.asAdmin(
      'POST',
      `/consumers/${consumerId}/reset-password`,
      repeated,
    )

    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).toEqual({
      password: expect.stringMatching(/^[!-~]{16,}$/),
      passwordExpiry: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
    const stored = await findAccount(administration.db, consumerId)
    expect(await verifyPassword(stored?.passwordHash ?? '', answer.body.password)).toBe(true)
    expect(await administration.recorded(consumerId)).toEqual([
      { action: 'password.changed', actor: `consumer:${administration.ids.admin}` },
      { action: 'consumer.created', actor: `consumer:${administration.ids.admin}` },
    ])
  })
})

describe('POST /consumers/{consumerId}/end-tokens', () => {
  test('200: invalidates the tokens of the consumer, changes nothing else, and audits it', async () => {
    const { db, ids } = administration
    const consumerId = await administration.aConsumer('signs-in-again')
    const before = await findConsumer(db, consumerId)

    const answer = await administration.as(
      'operator',
      'POST',
      `/consumers/${consumerId}/end-tokens`,
    )

    const after = await findConsumer(db, consumerId)
    expect(answer).toMatchObject({ status: 200, body: { consumerId, userName: 'signs-in-again' } })
    expect(after).toEqual({ ...before, tokenGeneration: before!.tokenGeneration + 1 })
    expect(await administration.recorded(consumerId)).toEqual([
      { action: 'tokens.ended', actor: `consumer:${ids.operator}` },
      { action: 'consumer.created', actor: `consumer:${ids.admin}` },
    ])
  })

  test('403: only an admin can end the tokens of an operator', async () => {
    const consumerId = await administration.addUser('an operator with tokens', ['operator'])
    const path = `/consumers/${consumerId}/end-tokens`

    const byOperator = await administration.as('operator', 'POST', path)
    const byAdmin = await administration.asAdmin('POST', path)

    expect([byOperator.status, byAdmin.status]).toEqual([403, 200])
  })
})

describe.for(['rotate-key', 'reset-password'])('%s requires the own password again', (action) => {
  const own = (code: string, detail: string) => refusal('400 BAD_REQUEST', code, detail, 'password')

  test('400: the password is missing or wrong, and nothing changes', async () => {
    const consumerId = await administration.aConsumer(`guarded-${action}`)
    const path = `/consumers/${consumerId}/${action}`
    const before = await findAccount(administration.db, consumerId)

    for (const body of [undefined, {}, { password: '' }]) {
      expect(await administration.asAdmin('POST', path, body)).toMatchObject(
        own('NotNull', 'Repeat your own password to replace credentials'),
      )
    }
    expect(
      await administration.asAdmin('POST', path, { password: 'The password of another 1' }),
    ).toMatchObject(own('Invalid', 'This is not your own password'))
    expect(await findAccount(administration.db, consumerId)).toEqual(before)
    const { admin } = administration.ids
    expect((await administration.recorded(admin))[0]).toEqual({
      action: 'console.sign-in-failed',
      actor: 'user',
    })
    expect(JSON.stringify(administration.lines)).not.toContain('The password of another 1')
  })

  test('400: also for the own account, so that a session alone cannot take over an account', async () => {
    const path = `/consumers/${administration.ids.admin}/${action}`

    expect(await administration.asAdmin('POST', path)).toMatchObject({ status: 400 })
  })

  test('400: after too many wrong passwords the right password is refused, as at sign-in', async () => {
    const at = await anAdministration({ settings: { DESPATCH_LOCKOUT_USER_ATTEMPTS: '2' } })
    await using _ = { [Symbol.asyncDispose]: at.close }
    const path = `/consumers/${await at.aConsumer('locked')}/${action}`
    const wrong = { password: 'wrong' }
    await at.asAdmin('POST', path, wrong)
    await at.asAdmin('POST', path, wrong)

    const locked = await at.asAdmin('POST', path, repeated)

    expect(locked).toMatchObject({
      status: 400,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
      body: {
        errors: [
          { detail: expect.stringMatching(/^This is not your own password, or there were/) },
        ],
      },
    })
    const signIn = { userName: 'admin', ...repeated }
    expect((await at.as('nobody', 'POST', '/sessions', signIn)).status).toBe(401)
  })
})

describe('POST /signing-keys/rotate', () => {
  test('200: a new key signs, and existing tokens stay valid', async () => {
    const before = await findActiveSigningKey(administration.db)

    const { status, body } = await administration.asAdmin('POST', '/signing-keys/rotate')

    const keys = await listPublicJwks(administration.db, { retiredWithinSeconds: 3_600 })
    expect(status).toBe(200)
    expect(keys.map(({ kid }) => kid)).toEqual([body.kid, before?.kid])
    expect((await findActiveSigningKey(administration.db))?.kid).toBe(body.kid)
    const { body: audit } = await administration.asAdmin('GET', '/audit-events?limit=1')
    expect(audit.auditEvents).toMatchObject([
      {
        actorUserName: 'admin',
        action: 'signing-key.rotated',
        detail: { kid: body.kid, retiredKid: before?.kid },
      },
    ])
  })
})
