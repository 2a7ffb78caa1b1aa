import { randomUUID } from 'node:crypto'
import { changeApiKey } from '@despatch/access/change-api-key'
import { hashPassword } from '@despatch/access/passwords'
import { sealedBox } from '@despatch/access/sealed-box'
import { findConsumer } from '@despatch/store/access/consumers'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { describe, expect, onTestFinished, test } from 'vitest'
import { anAdministration, oneError, passwordOfAll } from './an-administration.ts'

const hourMs = 60 * 60 * 1000
const refused = oneError(
  '401 UNAUTHORIZED',
  'Unauthorized',
  'API Key or JWT is either not provided, expired or invalid',
)
const clock = { now: new Date() }
const administration = await shared(
  anAdministration({
    settings: { DESPATCH_LOCKOUT_SOURCE_ATTEMPTS: '1000' },
    now: () => clock.now,
  }),
)

type Given = Record<string, string>

const unauthorised = (detail: string) => ({
  status: 401,
  body: oneError('401 UNAUTHORIZED', 'Unauthorized', detail),
  setCookie: '',
})

/** Moves the clock for the rest of the test. */
function letPass(ms: number): void {
  const before = clock.now
  onTestFinished(() => {
    clock.now = before
  })
  clock.now = new Date(before.getTime() + ms)
}

type Request = { path?: string; body?: object }

async function call(
  method: 'GET' | 'POST' | 'DELETE',
  headers: Given,
  { path = '/sessions', body }: Request = {},
) {
  const url = `/administration/v1${path}`
  const request = { method, url, headers, ...(body && { body }) }
  const answer = await administration.service.api.inject(request)
  const setCookie = String(answer.headers['set-cookie'] ?? '')
  return {
    status: answer.statusCode,
    body: answer.body && answer.json(),
    setCookie,
    /** What a browser sends back. */
    cookie: setCookie.split(';', 1)[0]!,
    retryAfter: answer.headers['retry-after'],
  }
}

const signIn = (userName: string, password = passwordOfAll, headers: Given = {}) =>
  call('POST', headers, { body: { userName, password } })

async function ask(cookie: string, headers: Given = { 'x-despatch-console': '1' }, path?: string) {
  const { status, body } = await call('GET', { cookie, ...headers }, { ...(path && { path }) })
  return { status, body }
}

async function signOut(cookie: string, headers: Given = {}) {
  const { status, setCookie } = await call('DELETE', { cookie, ...headers })
  return { status, setCookie }
}

test('429: an address tries to sign in too often, and another address is not limited', async () => {
  const limited = await anAdministration({ settings: { DESPATCH_SOURCE_REQUESTS_PER_SECOND: '1' } })
  onTestFinished(limited.close)
  const url = '/administration/v1/sessions'
  const attempt = (remoteAddress: string) =>
    limited.service.api.inject({ method: 'POST', url, remoteAddress, body: {} })

  const answers = await Promise.all(Array.from({ length: 20 }, () => attempt('198.51.100.1')))
  const refused = answers.find(({ statusCode }) => statusCode === 429)

  const detail = expect.stringContaining('the limit is 1 per second')
  expect(refused?.json()).toMatchObject(
    oneError('429 TOO_MANY_REQUESTS', 'TooManyRequests', detail),
  )
  expect(refused?.headers['retry-after']).toBe('1')
  expect((await attempt('203.0.113.1')).statusCode).toBe(400)
})

describe('POST /sessions', () => {
  test.each(['operator', 'admin'] as const)('201: an %s signs in for 8 hours', async (user) => {
    const { status, body, setCookie } = await signIn(user)

    expect([status, body]).toEqual([
      201,
      {
        consumerId: administration.ids[user],
        userName: user,
        name: `The ${user}`,
        roles: [user],
        environment: 'production',
        endsAt: new Date(clock.now.getTime() + 8 * hourMs).toISOString(),
      },
    ])
    expect(setCookie).toMatch(
      /^despatch-session=[\w-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    )
  })

  test.each([
    ['a wrong password', 'operator', 'wrong'],
    ['nobody', 'nobody-of-that-name', passwordOfAll],
  ])('401: %s', async (_what, userName, password) => {
    expect(await signIn(userName, password)).toMatchObject(
      unauthorised('User name or password incorrect'),
    )
  })

  test.each(['consumer', 'provider'])('403: a %s cannot sign in', async (user) => {
    expect(await signIn(user)).toMatchObject({
      status: 403,
      body: oneError('403 FORBIDDEN', 'Forbidden', 'This operation requires the role operator'),
      setCookie: '',
    })
  })

  test('401: after 5 wrong passwords the right password is refused, with the duration of the lock, and no further attempt is audited', async () => {
    const consumerId = await administration.addUser('locked', ['operator'])
    for (let time = 0; time < 5; time += 1) await signIn('locked', 'wrong')

    expect(await signIn('locked')).toMatchObject({
      ...unauthorised(
        'User name or password incorrect, or too many incorrect attempts. Try again in 1 s',
      ),
      retryAfter: '1',
    })
    for (let time = 0; time < 2; time += 1) await signIn('locked', 'wrong')
    const failures = `action=console.sign-in-failed&consumerId=${consumerId}`
    expect(await administration.audited(failures)).toHaveLength(5)
  })

  test('neither the password nor the cookie is logged', async () => {
    const { cookie } = await signIn('operator')
    await ask(cookie)
    const log = administration.lines.join('')

    expect(log).toContain('/administration/v1/sessions')
    expect(log).not.toContain(passwordOfAll)
    expect(log).not.toContain(cookie.split('=')[1])
  })
})

describe('GET /sessions', () => {
  test('200: returns the signed-in account, and the cookie is accepted by other operations', async () => {
    const { cookie } = await signIn('operator')

    expect((await ask(`other=1; ${cookie}; more=2`)).body).toMatchObject({
      userName: 'operator',
      environment: 'production',
    })
    expect((await ask(cookie, undefined, '/callback-origins')).status).toBe(200)
  })

  test('401: the header that another site cannot send is missing', async () => {
    const { cookie } = await signIn('operator')

    expect(await ask(cookie, {})).toEqual({ status: 401, body: refused })
    expect(await ask(cookie, { 'x-despatch-console': '0' })).toEqual({ status: 401, body: refused })
  })

  test('401: the cookie is missing, altered or made elsewhere', async () => {
    const { cookie } = await signIn('operator')
    const last = cookie.at(-1)
    const altered = `${cookie.slice(0, -2)}${cookie.at(-2) === 'A' ? 'B' : 'A'}${last}`
    const content = JSON.stringify({
      id: '',
      consumerId: administration.ids.admin,
      issuedAt: clock.now.getTime(),
      password: '',
    })
    const elsewhere = [
      sealedBox('cd'.repeat(32), { purpose: 'console session' }),
      sealedBox(someKeys.DESPATCH_KEY_CONSOLE, { purpose: 'signing key' }),
      sealedBox(someKeys.DESPATCH_KEY_CONSOLE, { purpose: 'console session' }),
    ].map((box) => `despatch-session=${box.seal(content).toString('base64url')}`)

    for (const bad of ['', 'despatch-session=', altered, ...elsewhere]) {
      expect([bad, await ask(bad)]).toEqual([bad, { status: 401, body: refused }])
    }
  })

  test('401: the cookie has no session id, but can be signed out', async () => {
    const { cookie } = await signIn('operator')
    const box = sealedBox(someKeys.DESPATCH_KEY_CONSOLE, { purpose: 'console session' })
    const value = Buffer.from(cookie.split('=')[1]!, 'base64url')
    const { id: _, ...content } = JSON.parse(box.unseal(value))
    const old = `despatch-session=${box.seal(JSON.stringify(content)).toString('base64url')}`

    expect(await ask(old)).toEqual({ status: 401, body: refused })
    expect((await signOut(old)).status).toBe(204)
  })

  test('401: 8 hours have passed', async () => {
    const { cookie } = await signIn('operator')

    letPass(8 * hourMs - 1)
    const before = await ask(cookie)
    letPass(1)

    expect([before.status, (await ask(cookie)).status]).toEqual([200, 401])
  })

  test('401: the account is disabled or its password changed; 403: the account lost the operator role', async () => {
    const losses: [userName: string, values: Record<string, unknown>, status: number][] = [
      ['leaves', { disabled_at: new Date() }, 401],
      ['moves', { roles: ['consumer'] }, 403],
      ['renews', { password_hash: await hashPassword('another one aA1') }, 401],
    ]
    for (const [userName, values, status] of losses) {
      const id = await administration.addUser(userName, ['operator'])
      const { cookie } = await signIn(userName)
      await administration.db.updateTable('consumer').set(values).where('id', '=', id).execute()

      expect([userName, (await ask(cookie)).status]).toEqual([userName, status])
    }
  })

  test.each<[string, (path: string) => Promise<unknown>]>([
    ['its tokens are ended', (path) => administration.asAdmin('POST', `${path}/end-tokens`)],
    [
      'an admin replaces its API key',
      (path) => administration.asAdmin('POST', `${path}/rotate-key`, { password: passwordOfAll }),
    ],
    [
      'it was disabled and is enabled again',
      async (path) => {
        await administration.asAdmin('POST', `${path}/disable`)
        await administration.asAdmin('POST', `${path}/enable`)
      },
    ],
  ])('401: after %s, and a new session begins', async (why, act) => {
    const consumerId = await administration.addUser(why, ['operator'])
    const { cookie } = await signIn(why)
    const before = await ask(cookie)

    await act(`/consumers/${consumerId}`)

    const after = await ask(cookie)
    const again = await ask((await signIn(why)).cookie)
    expect([before.status, after.status, again.status]).toEqual([200, 401, 200])
  })

  test('200: the account changed its own API key', async () => {
    const { db } = administration
    const consumerId = await administration.addUser('rotates', ['operator'])
    const { cookie } = await signIn('rotates')
    const { apiKeyHash: expectedHash } = (await findConsumer(db, consumerId))!

    await changeApiKey({ db, consumerId, expectedHash, actor: 'test' })

    expect((await ask(cookie)).status).toBe(200)
  })
})

test('over HTTPS the cookie has a name that no other origin can set, and only that is accepted and deleted', async () => {
  const https = { 'x-forwarded-proto': 'https' }
  const overHttps = { 'x-despatch-console': '1', ...https }
  const { cookie, setCookie } = await signIn('operator', passwordOfAll, https)
  const plain = (await signIn('operator')).cookie

  expect(setCookie).toMatch(
    /^__Host-despatch-session=[\w-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure$/,
  )
  expect((await ask(`despatch-session=planted; ${cookie}`, overHttps)).status).toBe(200)
  expect((await ask(plain, overHttps)).status).toBe(401)
  expect((await ask(plain)).status).toBe(200)
  expect(await signOut(cookie, https)).toEqual({
    status: 204,
    setCookie: '__Host-despatch-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
  })
  expect((await ask(cookie, overHttps)).status).toBe(401)
})

test('the audit log has sign-ins, sign-outs and failed sign-ins, and no unknown user name', async () => {
  const { operator, consumer } = administration.ids
  await signIn('a-name-of-nobody')
  await signIn('operator', 'wrong')
  await signIn('consumer')
  const { cookie } = await signIn('operator')
  await signOut(cookie)
  await signOut(cookie)

  const detail = {}
  const [byOperator, byConsumer] = [`consumer:${operator}`, `consumer:${consumer}`]
  expect((await administration.audited('')).slice(0, 5)).toEqual([
    { actor: byOperator, action: 'console.signed-out', consumerId: operator, detail },
    { actor: byOperator, action: 'console.signed-in', consumerId: operator, detail },
    { actor: byConsumer, action: 'console.sign-in-refused', consumerId: consumer, detail },
    { actor: 'user', action: 'console.sign-in-failed', consumerId: operator, detail },
    { actor: 'user', action: 'console.sign-in-failed', detail },
  ])
})

describe('DELETE /sessions', () => {
  test('204: copies of the cookie become invalid, and other sessions continue', async () => {
    const { cookie } = await signIn('operator')
    const other = (await signIn('operator')).cookie

    expect(await signOut(cookie)).toMatchObject({ status: 204 })

    expect((await ask(cookie)).status).toBe(401)
    expect((await ask(cookie, undefined, '/callback-origins')).status).toBe(401)
    expect((await ask(other)).status).toBe(200)
  })

  test('the record of an ended session is deleted once the session would have expired', async () => {
    const first = await signIn('operator')
    await signOut(first.cookie)
    const kept = () => administration.db.selectFrom('ended_session').select('ends_at').execute()
    const before = await kept()

    letPass(8 * hourMs)
    const second = await signIn('operator')
    await signOut(second.cookie)

    expect(before).toContainEqual({ ends_at: new Date(first.body.endsAt) })
    expect(await kept()).toEqual([{ ends_at: new Date(second.body.endsAt) }])
  })

  test('204: deletes the cookie of an expired session as well', async () => {
    expect(await signOut('')).toEqual({
      status: 204,
      setCookie: 'despatch-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    })
  })
})

describe('a change with a console session', () => {
  const host = 'ops.example'
  const ofConsole = { 'x-despatch-console': '1', host }
  test.for<[what: string, status: number, headers: Given]>([
    ['by a page of the console', 404, { ...ofConsole, origin: `https://${host}` }],
    ['by a page of another host', 403, { ...ofConsole, origin: 'https://evil.example' }],
    ['by a program that does not say', 403, ofConsole],
  ])('%s: %i', async ([, status, headers]) => {
    const { cookie } = await signIn('operator')
    const path = `/consumers/${randomUUID()}/disable`

    const answer = await call('POST', { cookie, ...headers }, { path })

    expect(answer.status).toBe(status)
    if (status === 403) {
      const detail = 'Only pages of the console may use its session'
      expect(answer.body).toEqual(oneError('403 FORBIDDEN', 'Forbidden', detail))
    }
  })

  test('403: a page of another host signs in or out', async () => {
    const headers = { host, origin: 'https://evil.example' }
    const { cookie } = await signIn('operator')

    const signedIn = await signIn('operator', passwordOfAll, headers)
    const signedOut = await signOut(cookie, headers)

    expect([signedIn.status, signedIn.setCookie, signedOut.status]).toEqual([403, '', 403])
    expect((await ask(cookie)).status).toBe(200)
  })
})
