import { hashApiKey } from '@despatch/access/api-keys'
import { verifyPassword } from '@despatch/access/passwords'
import { findAccount, findConsumer } from '@despatch/store/access/consumers'
import { findActiveSigningKey, listPublicJwks } from '@despatch/store/access/signing-keys'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, passwordOfAll, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
/** The admin repeats its own password. */
const repeated = { password: passwordOfAll }

const actionsOn = async (consumerId: string) => {
  const events = await administration.audited(`consumerId=${consumerId}`)
  return events.map(({ action, actor }) => [action, actor])
}
const [admin, operator] = [administration.actorOf('admin'), administration.actorOf('operator')]
const date = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)

describe('POST /consumers/{consumerId}/rotate-key', () => {
  const rotate = (consumerId: string) =>
    administration.asAdmin('POST', `/consumers/${consumerId}/rotate-key`, repeated)

  test('200: returns a new API key only once, and audits the change', async () => {
    const consumerId = await administration.aConsumer('rotates')

    const { status, headers, body } = await rotate(consumerId)

    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(body).toEqual({ apiKey: expect.stringMatching(/^[\w-]{43}$/), apiKeyExpiry: date })
    const stored = await findAccount(administration.db, consumerId)
    expect(stored?.apiKeyHash).toEqual(hashApiKey(body.apiKey))
    expect(await actionsOn(consumerId)).toEqual([
      ['api-key.changed', admin],
      ['consumer.created', admin],
    ])
  })

  test('409: of two concurrent changes one returns a key, and that key works', async () => {
    const consumerId = await administration.aConsumer('rotated-twice')

    const answers = await Promise.all([rotate(consumerId), rotate(consumerId)])

    const [given, refused] = answers.sort((one, other) => one.status - other.status)
    expect(given?.status).toBe(200)
    const detail = 'The API key is being changed. Try again in a minute'
    expect(refused).toMatchObject(aProblem(409, { code: 'ApiKeyChanging', detail }))
    const stored = await findAccount(administration.db, consumerId)
    expect(stored?.apiKeyHash).toEqual(hashApiKey(given?.body.apiKey))
  })
})

test('POST /consumers/{consumerId}/reset-password: 200, returns a generated password only once, and audits it', async () => {
  const consumerId = await administration.aConsumer('forgets')
  const path = `/consumers/${consumerId}/reset-password`

  const { status, headers, body } = await administration.asAdmin('POST', path, repeated)

  expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
  expect(body).toEqual({ password: expect.stringMatching(/^[!-~]{16,}$/), passwordExpiry: date })
  const stored = await findAccount(administration.db, consumerId)
  expect(await verifyPassword(stored?.passwordHash ?? '', body.password)).toBe(true)
  expect(await actionsOn(consumerId)).toEqual([
    ['password.changed', admin],
    ['consumer.created', admin],
  ])
})

describe('POST /consumers/{consumerId}/end-tokens', () => {
  test('200: invalidates the tokens of the consumer, changes nothing else, and audits it', async () => {
    const { db } = administration
    const consumerId = await administration.aConsumer('signs-in-again')
    const before = await findConsumer(db, consumerId)

    const answer = await administration.asOperator('POST', `/consumers/${consumerId}/end-tokens`)

    const after = await findConsumer(db, consumerId)
    expect(answer).toMatchObject({ status: 200, body: { consumerId, userName: 'signs-in-again' } })
    expect(after).toEqual({ ...before, tokenGeneration: before!.tokenGeneration + 1 })
    expect(await actionsOn(consumerId)).toEqual([
      ['tokens.ended', operator],
      ['consumer.created', admin],
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
    expect((await actionsOn(administration.ids.admin))[0]).toEqual([
      ...['console.sign-in-failed', 'user'],
    ])
    expect(JSON.stringify(administration.lines)).not.toContain('The password of another 1')
  })

  test('400: also for the own account, so that a session alone cannot take over an account', async () => {
    const path = `/consumers/${administration.ids.admin}/${action}`

    expect(await administration.asAdmin('POST', path)).toMatchObject({ status: 400 })
  })

  test('400: after too many wrong passwords the right password is refused, as at sign-in', async () => {
    // the lock lasts a second of this clock
    const now = new Date()
    const settings = { DESPATCH_LOCKOUT_USER_ATTEMPTS: '2' }
    const at = await anAdministration({ settings, now: () => now })
    await using _ = { [Symbol.asyncDispose]: at.close }
    const path = `/consumers/${await at.aConsumer('locked')}/${action}`
    const wrong = { password: 'wrong' }
    await at.asAdmin('POST', path, wrong)
    await at.asAdmin('POST', path, wrong)

    const locked = await at.asAdmin('POST', path, repeated)

    const detail = expect.stringMatching(/^This is not your own password, or there were/)
    expect(locked).toMatchObject(aProblem(400, { detail }))
    expect(locked.headers['retry-after']).toMatch(/^\d+$/)
    const signIn = { userName: 'admin', ...repeated }
    expect((await at.as('nobody', 'POST', '/sessions', signIn)).status).toBe(401)
  })
})

test('POST /signing-keys/rotate: 200, a new key signs, and existing tokens stay valid', async () => {
  const before = await findActiveSigningKey(administration.db)

  const { status, body } = await administration.asAdmin('POST', '/signing-keys/rotate')

  const keys = await listPublicJwks(administration.db, { retiredWithinSeconds: 3_600 })
  expect(status).toBe(200)
  expect(keys.map(({ kid }) => kid)).toEqual([body.kid, before?.kid])
  expect((await findActiveSigningKey(administration.db))?.kid).toBe(body.kid)
  const detail = { kid: body.kid, retiredKid: before?.kid }
  expect(await administration.audited(`about=${body.kid}`)).toEqual([
    { actor: admin, action: 'signing-key.rotated', detail },
  ])
})
