import { randomUUID } from 'node:crypto'
import { sealedBox } from '@despatch/access/sealed-box'
import { callbackSecretPurpose } from '@despatch/domain/callback/destination'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { beforeEach, describe, expect, test } from 'vitest'
import { aPrintRequest, secretKey, type TestCaller } from './a-print-request.ts'

const path = '/print-request/v1/callback-signing-secrets'

let consumer: TestCaller

const service = await shared(aPrintRequest())
beforeEach(async () => {
  consumer = await service.aCaller()
})

type Created = { secretId: string; secret: string; createdAt: string; expiresAt?: string }

const create = (body?: unknown, by = consumer) => by.call({ method: 'POST', path, body })
const list = async (by = consumer) =>
  ((await by.call({ path })).body as { signingSecrets: Created[] }).signingSecrets
const remove = (id: string, by = consumer) => by.call({ method: 'DELETE', path: `${path}/${id}` })

async function created(body?: unknown): Promise<Created> {
  const answer = await create(body)
  expect(answer.status).toBe(201)
  return answer.body as Created
}

const auditOf = ({ consumerId }: TestCaller) =>
  service.database.db
    .selectFrom('audit_event')
    .select(['actor', 'action', 'detail'])
    .where('consumer_id', '=', consumerId)
    .where('action', 'like', 'callback-secret.%')
    .orderBy('id')
    .execute()

describe('POST /callback-signing-secrets', () => {
  test('201: returns a secret in the format of Standard Webhooks, which must not be cached', async () => {
    const { status, body, headers } = await create({})

    expect({ status, body }).toEqual({
      status: 201,
      body: {
        secretId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        createdAt: expect.stringMatching(/Z$/),
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      },
    })
    const { secret } = body as Created
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    expect(headers['cache-control']).toBe('no-store')
  })

  test('201: creates a secret without a body, and never the same secret twice', async () => {
    const first = await created()
    const second = await created()

    expect(second.secret).not.toBe(first.secret)
  })

  test('201: seals the stored secret', async () => {
    const { secretId, secret } = await created()

    const { secret_sealed } = await service.database.db
      .selectFrom('callback_secret')
      .select('secret_sealed')
      .where('id', '=', secretId)
      .executeTakeFirstOrThrow()

    const box = sealedBox(secretKey, { purpose: callbackSecretPurpose })
    expect(box.unseal(secret_sealed)).toBe(secret)
  })

  test('201: the previous secret stays valid for the requested overlap', async () => {
    const first = await created()
    const second = await created({ overlapSeconds: 600 })

    const [newest, before, ...others] = await list()
    expect([newest, others]).toEqual([
      { secretId: second.secretId, createdAt: second.createdAt, secret: 'whsec_********' },
      [],
    ])
    expect(before).toEqual({
      secretId: first.secretId,
      createdAt: first.createdAt,
      expiresAt: expect.any(String),
      secret: 'whsec_********',
    })
    const overlapMs = Date.parse(before!.expiresAt!) - Date.parse(second.createdAt)
    expect(overlapMs).toBe(600_000)
  })

  test('201: the previous secret ends at once without an overlap', async () => {
    await created()
    const second = await created({ overlapSeconds: 0 })

    expect((await list()).map(({ secretId }) => secretId)).toEqual([second.secretId])
  })

  test('409: two secrets are valid; 201: one of them was deleted', async () => {
    const first = await created()
    await created()

    const { status, body } = await create({ overlapSeconds: 0 })

    expect({ status, body }).toEqual(
      aProblem(409, {
        status: '409 CONFLICT',
        code: 'SigningSecretConflict',
        title: 'Signing secret cannot be created',
        detail: 'Two secrets sign already: delete one of them, or wait until one has ended',
      }),
    )
    expect(await list()).toHaveLength(2)
    await remove(first.secretId)
    expect((await create()).status).toBe(201)
  })

  test('only two of several concurrent requests create a secret', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create()))

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409])
    expect(await list()).toHaveLength(2)
  })
})

describe('GET /callback-signing-secrets', () => {
  test('200: the list is empty', async () => {
    expect(await list()).toEqual([])
  })

  test('200: lists only the secrets of the caller', async () => {
    const { secretId } = await created()

    expect((await list()).map((secret) => secret.secretId)).toEqual([secretId])
    expect(await list(await service.aCaller())).toEqual([])
  })
})

describe('DELETE /callback-signing-secrets/{secretId}', () => {
  test('204 without a body: the secret no longer signs', async () => {
    const first = await created()
    const second = await created()

    const { status, body } = await remove(second.secretId)

    expect({ status, body }).toEqual({ status: 204, body: undefined })
    expect((await list()).map(({ secretId }) => secretId)).toEqual([first.secretId])
    expect((await remove(second.secretId)).status).toBe(404)
  })

  test('404: the secret of another consumer stays, and looks unknown', async () => {
    const { secretId } = await created()
    const unknown = randomUUID()
    const absent = (id: string) =>
      aProblem(404, {
        code: 'SigningSecretNotFound',
        detail: `There is no signing secret with the id ${id}`,
      })

    expect(await remove(secretId, await service.aCaller())).toMatchObject(absent(secretId))
    expect(await remove(unknown)).toMatchObject(absent(unknown))
    expect(await list()).toHaveLength(1)
  })
})

test('creation and deletion of a secret are audited, without the secret', async () => {
  const { secretId, secret } = await created({ overlapSeconds: 60 })
  await remove(secretId)
  await remove(secretId)

  const actor = `consumer:${consumer.consumerId}`
  const recorded = await auditOf(consumer)
  expect(recorded).toEqual([
    { actor, action: 'callback-secret.created', detail: { secretId, overlapSeconds: 60 } },
    { actor, action: 'callback-secret.deleted', detail: { secretId } },
  ])
  expect(service.logged.join('')).not.toContain(secret)
})

test('a refused creation is not audited', async () => {
  await created()
  await created()
  await create()

  expect(await auditOf(consumer)).toHaveLength(2)
})
