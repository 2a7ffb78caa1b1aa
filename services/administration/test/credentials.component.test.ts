import { hashApiKey } from '@despatch/access/api-keys'
import { verifyPassword } from '@despatch/access/passwords'
import { findAccount, findConsumer } from '@despatch/store/access/consumers'
import { findActiveSigningKey, listPublicJwks } from '@despatch/store/access/signing-keys'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())

describe('POST /consumers/{consumerId}/rotate-key', () => {
  test('200: gives another API key, this once, and records it', async () => {
    const consumerId = await administration.aConsumer('rotates')

    const answer = await administration.asAdmin('POST', `/consumers/${consumerId}/rotate-key`)

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

  test('409: of two at once one gives a key, and that one works', async () => {
    const consumerId = await administration.aConsumer('rotated-twice')

    const answers = await Promise.all([
      administration.asAdmin('POST', `/consumers/${consumerId}/rotate-key`),
      administration.asAdmin('POST', `/consumers/${consumerId}/rotate-key`),
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

    const answer = await administration.asAdmin('POST', `/consumers/${consumerId}/reset-password`)

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
  test('200: refuses the tokens that the consumer has, changes nothing else, and audits it', async () => {
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

  test('403: an operator ends no tokens of a colleague, an admin does', async () => {
    const consumerId = await administration.addUser('an operator with tokens', ['operator'])
    const path = `/consumers/${consumerId}/end-tokens`

    const byOperator = await administration.as('operator', 'POST', path)
    const byAdmin = await administration.asAdmin('POST', path)

    expect([byOperator.status, byAdmin.status]).toEqual([403, 200])
  })
})

describe('POST /signing-keys/rotate', () => {
  test('200: another key signs, and who has signed in stays so', async () => {
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
