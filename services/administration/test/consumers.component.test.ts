import { randomUUID } from 'node:crypto'
import { hashApiKey } from '@despatch/access/api-keys'
import { verifyPassword } from '@despatch/access/passwords'
import { findAccountByUserName } from '@despatch/store/access/consumers'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, oneError, passwordOfAll, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())

const dayMs = 24 * 60 * 60 * 1000
const isoDay = (daysFromNow: number) =>
  new Date(Date.now() + daysFromNow * dayMs).toISOString().slice(0, 10)
const fault = (field: string, code: string, rule: string) => ({
  status: '400 BAD_REQUEST',
  code,
  title: field,
  detail: `${field} ${rule}`,
})

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
    const { body } = await administration.asAdmin('POST', '/consumers', {
      userName: 'recorded',
      name: 'Recorded',
    })

    const answer = await administration.asAdmin(
      'GET',
      `/audit-events?consumerId=${body.consumerId}`,
    )
    expect(answer.body).toEqual({
      auditEvents: [
        {
          id: expect.stringMatching(/^\d+$/),
          at: expect.any(String),
          actor: `consumer:${administration.ids.admin}`,
          actorUserName: 'admin',
          action: 'consumer.created',
          consumerId: body.consumerId,
          userName: 'recorded',
          detail: { roles: ['consumer'], services: ['print-request'] },
        },
      ],
    })
    const rows = await administration.db.selectFrom('audit_event').select('detail').execute()
    expect(JSON.stringify(rows)).not.toContain(body.apiKey)
    expect(JSON.stringify(rows)).not.toContain(body.password)
  })

  test('409: the user name is taken, also for concurrent requests', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        administration.asAdmin('POST', '/consumers', { userName: 'wanted', name: 'Wanted' }),
      ),
    )

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(
      oneError(
        '409 CONFLICT',
        'UserNameTaken',
        'Consumer wanted already exists',
        'User name is taken',
      ),
    )
  })

  const userName = 'valid'
  const name = 'Valid'
  const malformed: [what: string, body: unknown, errors: object[]][] = [
    [
      'nothing',
      {},
      [
        fault('userName', 'NotNull', 'must not be null'),
        fault('name', 'NotNull', 'must not be null'),
      ],
    ],
    [
      'an e-mail address that is two',
      { userName, name, email: 'a@example.com,b@example.com' },
      [fault('email', 'Email', 'must be an e-mail address')],
    ],
    [
      'an unknown usage plan',
      { userName, name, usagePlan: 'endless' },
      [fault('usagePlan', 'InvalidFormat', 'must be one of standard')],
    ],
    [
      'the role of provider without a provider',
      { userName, name, roles: ['provider'] },
      [fault('providerId', 'Invalid', 'must be given with the role of provider')],
    ],
    [
      'a provider without the role',
      { userName, name, providerId: 'north' },
      [fault('providerId', 'Invalid', 'must be left out without the role of provider')],
    ],
    [
      'an unknown provider',
      { userName, name, roles: ['provider'], providerId: 'south' },
      [fault('providerId', 'InvalidFormat', 'must be one of north')],
    ],
  ]

  test.for(malformed)('400: %s', async ([, body, errors]) => {
    expect(await administration.asAdmin('POST', '/consumers', body)).toMatchObject(
      aProblem(400, ...errors),
    )
  })
})

describe('GET /consumers', () => {
  test('200: lists consumers page by page, by user name, without secrets', async () => {
    const fresh = await anAdministration()
    try {
      const names: string[] = []
      let path = '/consumers?limit=3'
      for (;;) {
        const { status, body } = await fresh.as('operator', 'GET', path)
        expect(status).toBe(200)
        names.push(...body.consumers.map(({ userName }: { userName: string }) => userName))
        if (!body.nextCursor) break
        path = `/consumers?limit=3&cursor=${encodeURIComponent(body.nextCursor)}`
      }

      expect(names).toEqual(['admin', 'consumer', 'operator', 'provider'])
      const { body } = await fresh.asAdmin('GET', '/consumers')
      expect(JSON.stringify(body)).not.toMatch(/hash|password"|apiKey"/i)
    } finally {
      await fresh.close()
    }
  })

  test('200: finds a consumer by its exact user name', async () => {
    const found = await administration.asAdmin('GET', '/consumers?userName=provider')
    const none = await administration.asAdmin('GET', '/consumers?userName=PROVIDER')

    expect(found.body).toMatchObject({ consumers: [{ consumerId: administration.ids.provider }] })
    expect(none.body).toEqual({ consumers: [] })
  })

  test.for(['0', '101', 'all'])('400: %s as a page', async (limit) => {
    expect(await administration.asAdmin('GET', `/consumers?limit=${limit}`)).toMatchObject(
      aProblem(400, fault('limit', 'Pattern', 'must be a whole number from 1 to 100')),
    )
  })
})

describe('GET /consumers/{consumerId}', () => {
  test('200: returns a consumer with its contracts and the creation times of its keys', async () => {
    const consumerId = await administration.aConsumer('with-contract')
    await administration.asAdmin('PUT', `/consumers/${consumerId}/contracts/LETTER/LETTER`, {
      production: 'letter',
    })
    const secret = { id: randomUUID(), createdAt: new Date('2026-01-31T09:00Z') }
    await administration.db
      .insertInto('callback_secret')
      .values({
        id: secret.id,
        consumer_id: consumerId,
        created_at: secret.createdAt,
        secret_sealed: Buffer.from('SEALED'),
      })
      .execute()
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
          {
            secretId: secret.id,
            createdAt: '2026-01-31T09:00:00.000Z',
            secret: 'whsec_********',
          },
        ],
      },
    })
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
    expect(await administration.recorded(consumerId)).toEqual([
      { action: 'consumer.enabled', actor: `consumer:${administration.ids.admin}` },
      { action: 'consumer.disabled', actor: `consumer:${administration.ids.operator}` },
      { action: 'consumer.created', actor: `consumer:${administration.ids.admin}` },
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
    const { admin } = administration.ids

    expect(await administration.asAdmin('POST', `/consumers/${admin}/disable`)).toMatchObject(
      refusal(
        '409 CONFLICT',
        'OwnAccess',
        'Ask another operator to remove your access',
        'Nobody can remove their own access',
      ),
    )
  })
})

test('logs only ids: no name, address or secret', async () => {
  administration.lines.length = 0
  const { body } = await administration.asAdmin('POST', '/consumers', {
    userName: 'unlogged-user',
    name: 'Unlogged Ltd',
    email: 'unlogged@example.com',
  })
  await administration.asAdmin('GET', '/consumers?userName=unlogged-user')
  await administration.asAdmin('POST', '/consumers', { userName: 'unlogged-user', name: 'Other' })

  const log = administration.lines.join('')
  expect(log).toContain(`"createdConsumerId":"${body.consumerId}"`)
  for (const secret of ['unlogged', 'Unlogged', body.password, body.apiKey, 'key of admin']) {
    expect(log).not.toContain(secret)
  }
})
