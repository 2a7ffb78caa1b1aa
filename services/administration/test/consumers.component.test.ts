import { randomUUID } from 'node:crypto'
import { hashApiKey } from '@despatch/access/api-keys'
import { verifyPassword } from '@despatch/access/passwords'
import { findAccountByUserName } from '@despatch/store/access/consumers'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { anAdministration, passwordOfAll } from './an-administration.ts'

const administration = await shared(anAdministration())
const admin = administration.actorOf('admin')

const dayMs = 24 * 60 * 60 * 1000
const isoDay = (daysFromNow: number) =>
  new Date(Date.now() + daysFromNow * dayMs).toISOString().slice(0, 10)

describe('POST /consumers', () => {
  test('201: returns working credentials, and stores only their hashes', async () => {
    const { status, headers, body } = await administration.asAdmin('POST', '/consumers', {
      userName: 'notify',
      name: 'Notify',
      email: 'notify@example.com',
      ignored: true,
    })

    expect({ status, cacheControl: headers['cache-control'] }).toEqual({
      status: 201,
      cacheControl: 'no-store',
    })
    expect(body).toEqual({
      consumerId: expect.stringMatching(/^[\da-f-]{36}$/),
      userName: 'notify',
      name: 'Notify',
      email: 'notify@example.com',
      roles: ['consumer'],
      services: ['print-request'],
      usagePlan: 'standard',
      networks: [],
      apiKeyPrefix: body.apiKey.slice(0, 8),
      apiKeyChangedAt: body.createdAt,
      apiKeyExpiry: isoDay(365),
      passwordChangedAt: body.createdAt,
      passwordExpiry: isoDay(90),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      password: expect.stringMatching(/^[!-~]{16,}$/),
      apiKey: expect.stringMatching(/^[\w-]{43}$/),
    })
    const stored = await findAccountByUserName(administration.db, 'notify')
    expect(stored?.apiKeyHash).toEqual(hashApiKey(body.apiKey))
    expect(await verifyPassword(stored?.passwordHash ?? '', body.password)).toBe(true)
  })

  test('201: a provider acts for a print provider, and an operator has no service', async () => {
    const provider = await administration.asAdmin('POST', '/consumers', {
      userName: 'north-1',
      name: 'North',
      roles: ['provider', 'provider'],
      providerId: 'north',
    })
    const operator = await administration.asAdmin('POST', '/consumers', {
      userName: 'colleague',
      name: 'A colleague',
      roles: ['operator', 'admin'],
    })

    expect(provider).toMatchObject({
      status: 201,
      body: { roles: ['provider'], providerId: 'north', services: [] },
    })
    expect(operator).toMatchObject({
      status: 201,
      body: { roles: ['operator', 'admin'], services: [] },
    })
  })

  test('201: audits the creator, without a secret', async () => {
    const given = { userName: 'recorded', name: 'Recorded' }
    const { body } = await administration.asAdmin('POST', '/consumers', given)

    const { consumerId } = body
    const detail = { roles: ['consumer'], services: ['print-request'] }
    expect(await administration.audited(`consumerId=${consumerId}`)).toEqual([
      { actor: admin, action: 'consumer.created', consumerId, detail },
    ])
  })

  test('409: the user name is taken', async () => {
    const given = { userName: 'consumer', name: 'Another' }

    expect(await administration.asAdmin('POST', '/consumers', given)).toMatchObject(
      aProblem(409, { code: 'UserNameTaken', detail: 'Consumer consumer already exists' }),
    )
  })

  test.for<[changes: object, field: string, rule: string]>([
    [{ email: 'a@example.com,b@example.com' }, 'email', 'must be an e-mail address'],
    [{ usagePlan: 'endless' }, 'usagePlan', 'must be one of standard'],
    [{ roles: ['provider'] }, 'providerId', 'must be given with the role of provider'],
    [{ providerId: 'north' }, 'providerId', 'must be left out without the role of provider'],
    [{ roles: ['provider'], providerId: 'south' }, 'providerId', 'must be one of north'],
  ])('400: %o: %s %s', async ([changes, field, rule]) => {
    const given = { userName: 'valid', name: 'Valid', ...changes }

    expect(await administration.asAdmin('POST', '/consumers', given)).toMatchObject(
      aProblem(400, { title: field, detail: `${field} ${rule}` }),
    )
  })
})

describe('GET /consumers', () => {
  test('200: lists consumers page by page, by user name, without secrets', async () => {
    const fresh = await anAdministration()
    onTestFinished(fresh.close)
    const list = async (query: string) => (await fresh.asOperator('GET', `/consumers${query}`)).body
    const first = await list('?limit=3')
    const rest = await list(`?limit=3&cursor=${encodeURIComponent(first.nextCursor)}`)

    expect(
      [...first.consumers, ...rest.consumers].map(({ userName }: { userName: string }) => userName),
    ).toEqual(['admin', 'consumer', 'operator', 'provider'])
    expect(rest).not.toHaveProperty('nextCursor')
    expect(JSON.stringify(await list(''))).not.toMatch(/hash|password"|apiKey"/i)
  })

  test('200: finds a consumer by its exact user name', async () => {
    const found = await administration.asAdmin('GET', '/consumers?userName=provider')
    const none = await administration.asAdmin('GET', '/consumers?userName=PROVIDER')

    expect(found.body).toMatchObject({ consumers: [{ consumerId: administration.ids.provider }] })
    expect(none.body).toEqual({ consumers: [] })
  })
})

test('GET /consumers/{consumerId}: 200, returns a consumer with its contracts and the creation times of its keys', async () => {
  const consumerId = await administration.aConsumer('with-contract')
  await administration.asAdmin('PUT', `/consumers/${consumerId}/contracts/LETTER/LETTER`, {
    production: 'letter',
  })
  const secretId = randomUUID()
  await administration.pool.query(
    `insert into callback_secret (id, consumer_id, created_at, secret_sealed)
     values ($1, $2, '2026-01-31T09:00Z', 'SEALED')`,
    [secretId, consumerId],
  )
  await administration.asAdmin('POST', `/consumers/${consumerId}/rotate-key`, {
    password: passwordOfAll,
  })

  const answer = await administration.as('operator', 'GET', `/consumers/${consumerId}`)

  const { createdAt, apiKeyChangedAt, passwordChangedAt } = answer.body
  expect([passwordChangedAt, apiKeyChangedAt > createdAt]).toEqual([createdAt, true])
  expect(answer).toMatchObject({
    status: 200,
    body: {
      consumerId,
      userName: 'with-contract',
      contracts: [{ jobType: 'LETTER', templateReference: 'LETTER', production: 'letter' }],
      signingSecrets: [
        { secretId, createdAt: '2026-01-31T09:00:00.000Z', secret: 'whsec_********' },
      ],
    },
  })
})

describe('POST /consumers/{consumerId}/disable and enable', () => {
  test('200: disables and enables a consumer, and audits a repetition only once', async () => {
    const consumerId = await administration.aConsumer('in-and-out')

    const disabled = await administration.as('operator', 'POST', `/consumers/${consumerId}/disable`)
    const again = await administration.as('operator', 'POST', `/consumers/${consumerId}/disable`)
    const enabled = await administration.asAdmin('POST', `/consumers/${consumerId}/enable`)
    await administration.asAdmin('POST', `/consumers/${consumerId}/enable`)

    expect(disabled).toMatchObject({
      status: 200,
      body: { consumerId, disabledAt: expect.any(String) },
    })
    expect(again.body).toEqual(disabled.body)
    expect(enabled.status).toBe(200)
    expect(enabled.body).not.toHaveProperty('disabledAt')
    const events = await administration.audited(`consumerId=${consumerId}`)
    expect(events.map(({ action, actor }) => [action, actor])).toEqual([
      ['consumer.enabled', admin],
      ['consumer.disabled', administration.actorOf('operator')],
      ['consumer.created', admin],
    ])
  })

  test('403: only an admin can disable an operator', async () => {
    const consumerId = await administration.addUser('another operator', ['operator'])
    const path = `/consumers/${consumerId}/disable`

    const byOperator = await administration.as('operator', 'POST', path)
    const byAdmin = await administration.asAdmin('POST', path)

    expect([byOperator.status, byAdmin.status]).toEqual([403, 200])
  })

  test('409: operators cannot disable themselves', async () => {
    const path = `/consumers/${administration.ids.admin}/disable`

    expect(await administration.asAdmin('POST', path)).toMatchObject(
      aProblem(409, { code: 'OwnAccess', title: 'Nobody can remove their own access' }),
    )
  })
})

test('logs and audits only ids: no name, address or secret', async () => {
  administration.lines.length = 0
  const { body } = await administration.asAdmin('POST', '/consumers', {
    userName: 'unlogged-user',
    name: 'Unlogged Ltd',
    email: 'unlogged@example.com',
  })
  await administration.asAdmin('GET', '/consumers?userName=unlogged-user')
  await administration.asAdmin('POST', '/consumers', { userName: 'unlogged-user', name: 'Other' })
  const audited = await administration.audited(`consumerId=${body.consumerId}`)

  const log = administration.lines.join('')
  expect(log).toContain(`"createdConsumerId":"${body.consumerId}"`)
  for (const secret of ['unlogged', 'Unlogged', body.password, body.apiKey, 'key of admin']) {
    expect(log + JSON.stringify(audited)).not.toContain(secret)
  }
})
