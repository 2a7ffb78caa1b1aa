import { sealedBox } from '@despatch/access/sealed-box'
import { callbackSecretPurpose } from '@despatch/domain/callback/destination'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPrintRequest, secretKey, type TestCaller } from './a-print-request.ts'

const path = '/print-request/v1/callback-signing-secrets'
const service = await shared(aPrintRequest())
const { db } = service.database

type Created = { secretId: string; secret: string; createdAt: string; expiresAt?: string }

const create = (by: TestCaller, body?: unknown) => by.call({ method: 'POST', path, body })
const list = async (by: TestCaller) =>
  ((await by.call({ path })).body as { signingSecrets: Created[] }).signingSecrets
const remove = (by: TestCaller, id: string) => by.call({ method: 'DELETE', path: `${path}/${id}` })

async function created(by: TestCaller, body?: unknown): Promise<Created> {
  const answer = await create(by, body)
  expect(answer.status).toBe(201)
  return answer.body as Created
}

test('POST /callback-signing-secrets returns a secret in the format of Standard Webhooks once, stores it sealed, and masks it afterwards', async () => {
  const consumer = await service.aCaller()

  const { status, body, headers } = await create(consumer, {})

  const { secretId, secret, createdAt } = body as Created
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      secretId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      createdAt: expect.stringMatching(/Z$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    },
  })
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
  expect(headers['cache-control']).toBe('no-store')
  expect(await list(consumer)).toEqual([{ secretId, createdAt, secret: 'whsec_********' }])
  const { secret_sealed } = await db
    .selectFrom('callback_secret')
    .select('secret_sealed')
    .where('id', '=', secretId)
    .executeTakeFirstOrThrow()
  expect(sealedBox(secretKey, { purpose: callbackSecretPurpose }).unseal(secret_sealed)).toBe(
    secret,
  )
  expect((await created(consumer)).secret).not.toBe(secret)
})

test('of two secrets the previous one stays valid for the requested overlap, and a third is refused until DELETE /callback-signing-secrets/{secretId} removes one', async () => {
  const consumer = await service.aCaller()
  const first = await created(consumer)
  const second = await created(consumer, { overlapSeconds: 600 })

  const [, before] = await list(consumer)
  expect(Date.parse(before!.expiresAt!) - Date.parse(second.createdAt)).toBe(600_000)
  const { status, body } = await create(consumer, { overlapSeconds: 0 })
  expect({ status, body }).toEqual(
    aProblem(409, {
      status: '409 CONFLICT',
      code: 'SigningSecretConflict',
      title: 'Signing secret cannot be created',
      detail: 'Two secrets sign already: delete one of them, or wait until one has ended',
    }),
  )
  const deleted = await remove(consumer, second.secretId)
  expect([deleted.status, deleted.body]).toEqual([204, undefined])
  expect((await list(consumer)).map(({ secretId }) => secretId)).toEqual([first.secretId])
  expect((await remove(consumer, second.secretId)).status).toBe(404)
  expect((await create(consumer)).status).toBe(201)
})

test('GET /callback-signing-secrets omits the secret of another consumer, which looks unknown and stays', async () => {
  const [consumer, stranger] = [await service.aCaller(), await service.aCaller()]
  const { secretId } = await created(consumer)
  const detail = `There is no signing secret with the id ${secretId}`

  expect(await list(stranger)).toEqual([])
  expect(await remove(stranger, secretId)).toMatchObject(
    aProblem(404, { code: 'SigningSecretNotFound', detail }),
  )
  expect(await list(consumer)).toHaveLength(1)
})

test('a creation and a deletion that succeed are audited, without the secret', async () => {
  const consumer = await service.aCaller()
  const { consumerId } = consumer
  const { secretId, secret } = await created(consumer, { overlapSeconds: 60 })
  await remove(consumer, secretId)
  await remove(consumer, secretId)
  const left = [await created(consumer), await created(consumer)]
  await create(consumer)

  const recorded = await db
    .selectFrom('audit_event')
    .select(['actor', 'action', 'detail'])
    .where('consumer_id', '=', consumerId)
    .where('action', 'like', 'callback-secret.%')
    .orderBy('id')
    .execute()
  const actor = `consumer:${consumerId}`
  const creation = (detail: object) => ({ actor, action: 'callback-secret.created', detail })
  expect(recorded).toEqual([
    creation({ secretId, overlapSeconds: 60 }),
    { actor, action: 'callback-secret.deleted', detail: { secretId } },
    ...left.map((each) => creation({ secretId: each.secretId, overlapSeconds: 86_400 })),
  ])
  expect(service.logged.join('')).not.toContain(secret)
})
