import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hashApiKey } from '@despatch/access/api-keys'
import { type AuthenticateCaller, createAuthenticator } from '@despatch/access/authenticate-caller'
import { changeApiKey } from '@despatch/access/change-api-key'
import { openDatabase } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { describe, expect, onTestFinished, test } from 'vitest'
import { apiKey, dayMs, fault, isoDay, startAccess, unauthorized } from './an-access-service.ts'

async function aSignedInConsumer() {
  const access = await startAccess()
  onTestFinished(() => access.stop())
  const { db, signIn, post } = access
  const { body } = await signIn()
  const authorization: string = body['id-token']
  const changeKey = (key = apiKey, body?: unknown) =>
    post('new-api-key', body, { authorization, 'x-api-key': key })
  const works = (authenticate: AuthenticateCaller, key: string, token = authorization) =>
    Promise.resolve(authenticate({ authorization: token, 'x-api-key': key })).then(
      () => true,
      () => false,
    )
  const renewToken = async (): Promise<string> => (await signIn()).body['id-token']
  const changeBegan = (message = 'the change is under way') =>
    eventually(
      async () =>
        db
          .selectFrom('consumer')
          .select('api_key_change_id')
          .where('api_key_change_id', 'is not', null)
          .executeTakeFirst(),
      { message },
    )
  return { ...access, authorization, changeKey, works, renewToken, changeBegan }
}

describe('200', () => {
  test.each<[string, unknown, { isValid: boolean }]>([
    ['without a body', undefined, { isValid: true }],
    ['with endTokens false', { endTokens: false }, { isValid: true }],
    ['with endTokens', { endTokens: true }, { isValid: false }],
  ])(
    '%s every process accepts the new key at once, refuses the old key, and accepts the token if it is kept',
    async (_name, given, { isValid }) => {
      const { db, changeKey, works, renewToken, auditEvents } = await aSignedInConsumer()
      const processes = [createAuthenticator({ db }), createAuthenticator({ db })]
      for (const process of processes) expect(await works(process, apiKey)).toBe(true)

      const { status, body } = await changeKey(apiKey, given)

      const token = await renewToken()
      const now = await Promise.all(
        processes.map(async (process) => [
          await works(process, apiKey),
          await works(process, apiKey, token),
          await works(process, body.newApiKey),
          await works(process, body.newApiKey, token),
        ]),
      )
      expect({ status, body, now }).toEqual({
        status: 200,
        body: { newApiKey: expect.stringMatching(/^[\w-]{43}$/) },
        now: [
          [false, false, isValid, true],
          [false, false, isValid, true],
        ],
      })
      expect((await auditEvents()).at(-1)?.detail).toMatchObject({ endsTokens: !isValid })
    },
  )

  test('returns the key once, and stores its hash, its beginning and its expiry in a year', async () => {
    const { db, pool, changeKey, clock, auditEvents, consumerId, signIn, lines } =
      await aSignedInConsumer()

    const { newApiKey } = (await changeKey()).body

    const apiKeyExpiry = isoDay(new Date(clock.now.getTime() + 365 * dayMs))
    const row = await db
      .selectFrom('consumer')
      .select(['api_key_hash', 'api_key_prefix', 'api_key_expires_on', 'api_key_change_id'])
      .executeTakeFirstOrThrow()
    expect(row).toEqual({
      api_key_hash: hashApiKey(newApiKey),
      api_key_prefix: newApiKey.slice(0, 8),
      api_key_expires_on: apiKeyExpiry,
      api_key_change_id: null,
    })
    expect((await signIn()).body).toMatchObject({ apiKeyExpiry })
    expect((await auditEvents()).slice(1)).toEqual([
      {
        actor: `consumer:${consumerId}`,
        action: 'api-key.changed',
        detail: { expiresOn: apiKeyExpiry, endsTokens: false },
      },
    ])
    const { rows } = await pool.query(
      'select consumer::text, audit_event::text from consumer, audit_event',
    )
    expect(JSON.stringify(rows) + lines.join('')).not.toContain(newApiKey)
  })

  test('accepts a client that sends Content-Type without a body', async () => {
    const { post, authorization } = await aSignedInConsumer()

    const answer = await post('new-api-key', undefined, {
      authorization: `Bearer ${authorization}`,
      'x-api-key': apiKey,
      'content-type': 'application/json',
    })

    expect(answer.status).toBe(200)
  })

  // The guarantee of the protocol: no request that starts after the response is accepted with the old key.
  test('the old key is valid until the change, and never after the answer, even under traffic', async () => {
    const { db, changeKey, works } = await aSignedInConsumer()
    const processes = [createAuthenticator({ db }), createAuthenticator({ db })]
    let answeredAtMs = Number.POSITIVE_INFINITY
    let isOver = false
    let lastWorkedAtMs = 0
    let refusedAfterwards = 0
    const traffic = processes.map(async (process) => {
      while (!isOver) {
        const beganAtMs = performance.now()
        if (await works(process, apiKey)) lastWorkedAtMs = Math.max(lastWorkedAtMs, beganAtMs)
        else if (beganAtMs > answeredAtMs) refusedAfterwards += 1
        await new Promise(setImmediate)
      }
    })

    const askedAtMs = performance.now()
    const { body } = await changeKey()
    answeredAtMs = performance.now()
    const newWorks = await Promise.all(processes.map((each) => works(each, body.newApiKey)))
    await eventually(() => refusedAfterwards > 20, { message: 'requests after the answer' })
    isOver = true
    await Promise.all(traffic)

    expect(newWorks).toEqual([true, true])
    expect(lastWorkedAtMs).toBeLessThan(answeredAtMs)
    // the old key kept working while the change waited for caches
    expect(lastWorkedAtMs - askedAtMs).toBeGreaterThan(1_000)
  })
})

describe('401', () => {
  test('a consumer that is disabled during the change keeps its old key', async () => {
    const { changeKey, change, changeBegan, db } = await aSignedInConsumer()
    const answer = changeKey()
    await changeBegan()

    await change({ disabled_at: new Date() })

    expect(await answer).toEqual(unauthorized)
    const row = await db
      .selectFrom('consumer')
      .select(['api_key_hash', 'api_key_change_id'])
      .executeTakeFirst()
    expect(row).toEqual({ api_key_hash: hashApiKey(apiKey), api_key_change_id: null })
  })
})

describe('409', () => {
  test('only one of two concurrent changes succeeds', async () => {
    const { changeKey, works, db, auditEvents } = await aSignedInConsumer()

    const answers = await Promise.all([changeKey(), changeKey()])

    const winner = answers.find(({ status }) => status === 200)
    const loser = answers.find(({ status }) => status !== 200)
    expect(loser).toEqual({
      status: 409,
      body: [
        {
          status: 409,
          code: 409,
          title: 'Conflict',
          detail: 'Another request is changing the API key; this request changed nothing',
        },
      ],
    })
    expect(await works(createAuthenticator({ db }), winner!.body.newApiKey)).toBe(true)
    expect(await auditEvents()).toHaveLength(2)
  })
})

describe('503', () => {
  test('the old key stays valid when the database ends the session during the change', async () => {
    const { changeKey, changeBegan, works, db, pool, databaseUrl } = await aSignedInConsumer()
    const holder = openDatabase(databaseUrl, { name: 'holder', connectionsMax: 1 })
    onTestFinished(() => holder.close())
    const answer = changeKey()
    await changeBegan()
    const endLeases = Promise.withResolvers<void>()
    const holding = holder.db.transaction().execute(async (tx) => {
      await tx.selectFrom('consumer').select('id').forUpdate().execute()
      await endLeases.promise
    })

    await eventually(
      async () => {
        const { rows } = await pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'thirdparty-access' and wait_event_type = 'Lock'`,
        )
        return rows.length > 0
      },
      { message: 'the switch waits for the row and is ended' },
    )
    endLeases.resolve()
    await holding

    expect(await answer).toMatchObject({
      status: 503,
      body: [{ status: 503, title: 'Service Unavailable' }],
    })
    expect(await works(createAuthenticator({ db }), apiKey)).toBe(true)
    expect((await changeKey()).status).toBe(200)
  })
})

describe('500', () => {
  test('a change that cannot be audited is not made', async () => {
    const { changeKey, works, db, pool } = await aSignedInConsumer()
    await pool.query(
      `create function refuse_event() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
       create trigger refuse_event before insert on audit_event for each row execute function refuse_event()`,
    )

    expect(await changeKey()).toEqual(fault)

    expect(await works(createAuthenticator({ db }), apiKey)).toBe(true)
    const row = await db.selectFrom('consumer').select('api_key_change_id').executeTakeFirst()
    expect(row).toEqual({ api_key_change_id: null })
  })
})

test('a caller that disconnects before the change keeps the old key', async () => {
  const { service, authorization, changeBegan, works, db, lines } = await aSignedInConsumer()
  await service.api.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.api.server.address() as AddressInfo
  const call = request({
    method: 'POST',
    host: '127.0.0.1',
    port,
    path: '/thirdparty-access/v1/new-api-key',
    headers: { authorization, 'x-api-key': apiKey },
  })
  const failed = once(call, 'error')
  call.end()
  await changeBegan()

  call.destroy(new Error('gone'))
  await failed

  await eventually(
    async () => {
      const { api_key_change_id: change } = await db
        .selectFrom('consumer')
        .select('api_key_change_id')
        .executeTakeFirstOrThrow()
      return change === null
    },
    { message: 'the change has ended' },
  )
  expect(await works(createAuthenticator({ db }), apiKey)).toBe(true)
  expect(lines.join('')).not.toContain('request.failed')
})

test('a change by a dead process can be taken over after a minute', async () => {
  const { changeKey, change } = await aSignedInConsumer()
  const api_key_change_id = '00000000-0000-4000-8000-000000000000'

  await change({ api_key_change_id, api_key_change_began_at: new Date(Date.now() - 50_000) })
  expect((await changeKey()).status).toBe(409)
  await change({ api_key_change_id, api_key_change_began_at: new Date(Date.now() - 70_000) })
  expect((await changeKey()).status).toBe(200)
})

test('a change that was taken over cannot be completed', async () => {
  const { changeKey, change, changeBegan, works, db } = await aSignedInConsumer()
  const answer = changeKey()
  await changeBegan()

  await change({ api_key_change_id: '00000000-0000-4000-8000-000000000000' })

  expect(await answer).toEqual(unauthorized)
  expect(await works(createAuthenticator({ db }), apiKey)).toBe(true)
})

test('an operator can change an unknown key, also of a disabled consumer', async () => {
  const { db, consumerId, change, works, renewToken, auditEvents } = await aSignedInConsumer()
  await change({ disabled_at: new Date() })

  const outcome = await changeApiKey({ db, consumerId, actor: 'operator:1' })
  await change({ disabled_at: null })

  expect(outcome.kind).toBe('changed')
  const key = outcome.kind === 'changed' ? outcome.apiKey : ''
  expect(await works(createAuthenticator({ db }), key, await renewToken())).toBe(true)
  expect((await auditEvents()).at(-1)).toMatchObject({ actor: 'operator:1' })
})

test('a starting service clears the change of a dead process', async () => {
  const { change, another, db } = await aSignedInConsumer()
  const api_key_change_id = '00000000-0000-4000-8000-000000000000'
  await change({ api_key_change_id, api_key_change_began_at: new Date(Date.now() - 70_000) })

  await another()

  await eventually(
    async () => {
      const row = await db
        .selectFrom('consumer')
        .select('api_key_change_id')
        .executeTakeFirstOrThrow()
      return row.api_key_change_id === null
    },
    { message: 'the consumer may be kept in caches again' },
  )
})
