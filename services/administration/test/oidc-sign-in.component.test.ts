import { randomUUID } from 'node:crypto'
import { createConsoleSessions } from '@despatch/access/console-session'
import { findAccountByUserName } from '@despatch/store/access/consumers'
import { anOidcProvider, type Person } from '@despatch/testing/an-oidc-provider'
import { shared } from '@despatch/testing/shared'
import { someKeys } from '@despatch/testing/some-keys'
import { describe, expect, onTestFinished, test } from 'vitest'
import { anAdministration, passwordOfAll, refusal } from './an-administration.ts'

const consoleUrl = 'http://127.0.0.1:1'
const clock = { now: new Date() }
const people: Record<string, Person> = {}
const provider = await shared(anOidcProvider({ consoleUrl, people }))
const settings = {
  ...provider.settings,
  DESPATCH_SOURCE_REQUESTS_PER_SECOND: '1000',
  DESPATCH_BULK_SECOND_PERSON_ABOVE: '0',
}
const administration = await shared(anAdministration({ settings, now: () => clock.now }))

type Administration = Pick<typeof administration, 'service'>

async function call(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  {
    cookie = '',
    body,
    at = administration,
  }: { cookie?: string; body?: object; at?: Administration },
) {
  const answer = await at.service.api.inject({
    method,
    url: `/administration/v1${path}`,
    headers: { cookie, 'x-despatch-console': '1', 'sec-fetch-site': 'same-origin' },
    ...(body && { body }),
  })
  const set = [answer.headers['set-cookie'] ?? []].flat()
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body && answer.json(),
    set,
    cookie: set.map((each) => each.split(';', 1)[0]!).join('; '),
  }
}

const begin = (at?: Administration, body?: object) =>
  call('POST', '/oidc-sign-ins', { ...(at && { at }), ...(body && { body }) })
const finish = (cookie: string, body: object, at?: Administration) =>
  call('POST', '/oidc-sign-ins/finish', { cookie, body, ...(at && { at }) })

/** Signs a person with these claims in at the provider, and finishes the sign-in. */
async function signIn(login: string, person: Person, body?: object) {
  people[login] = person
  const begun = await begin(undefined, body)
  const response = await provider.signInAs(login, begun.body.authorizationUrl)
  return { ...(await finish(begun.cookie, response)), begun, response }
}

const someone = () => `sub-${randomUUID()}`
const recordedOf = (login: string) => administration.audited(`about=${login}`)
const oneDetail = (status: string, code: string) => (detail: string) =>
  refusal(status, code, detail)
const forbidden = oneDetail('403 FORBIDDEN', 'Forbidden')
const unauthorised = oneDetail('401 UNAUTHORIZED', 'Unauthorized')
const unavailable = oneDetail('503 SERVICE_UNAVAILABLE', 'ServiceUnavailable')
const notValid = unauthorised(
  'The response of Example ID is not valid for this sign-in. Sign in again.',
)
const usedBefore = unauthorised('This sign-in was already used, or has expired. Sign in again.')
const operator = { groups: ['ops'] }

/** Begins a sign-in, and signs a person in at the provider, whose address of the sign-in is changed before. */
async function beginAs(person: Person, change: (url: URL) => void = () => {}, body?: object) {
  const login = someone()
  people[login] = person
  const begun = await begin(undefined, body)
  const url = new URL(begun.body.authorizationUrl)
  change(url)
  return { login, begun, response: await provider.signInAs(login, url.href) }
}

/** Moves the clock for the rest of the test. */
function setClock(to: Date): void {
  const before = clock.now
  onTestFinished(() => {
    clock.now = before
  })
  clock.now = to
}

describe('a person with a role', () => {
  test('201: gets an operator session with the names and roles of the claims', async () => {
    const login = someone()
    const { status, body, set } = await signIn(login, {
      name: 'Ada Example',
      email: 'ada@example.com',
      groups: ['staff', 'ops', 'ops-addresses'],
    })
    const [session, attempt] = set

    expect([status, body]).toEqual([
      201,
      {
        consumerId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8/),
        userName: `ada@example.com#${body.consumerId.slice(0, 8)}`,
        name: 'Ada Example',
        roles: ['operator', 'address-editor'],
        environment: 'production',
        endsAt: new Date(clock.now.getTime() + 8 * 60 * 60 * 1000).toISOString(),
      },
    ])
    expect(session).toMatch(
      /^despatch-session=[\w-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    )
    expect(attempt).toBe('despatch-oidc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict')
    expect((await call('GET', '/callback-origins', { cookie: session! })).status).toBe(200)
    expect((await call('POST', '/consumers', { cookie: session!, body: {} })).status).toBe(403)
  })

  test('has one account under any name, with the roles of the last sign-in, audited by its subject', async () => {
    const login = someone()
    const before = await signIn(login, { name: 'Ada', email: 'ada@example.com', groups: ['ops'] })
    const after = await signIn(login, { name: 'Ada Byron', groups: ['ops-admins'] })
    const other = await signIn(someone(), {
      name: 'Ada',
      email: 'ada@example.com',
      groups: ['ops'],
    })
    const { consumerId } = before.body
    const subject = { issuer: provider.issuer, subject: login }
    const namesOf = ({ userName, name }: Record<string, unknown>) => ({ userName, name })

    expect(after.body).toMatchObject({ consumerId, name: 'Ada Byron', roles: ['admin'] })
    expect(after.body.userName).toBe(`oidc#${consumerId.slice(0, 8)}`)
    expect(other.body.consumerId).not.toBe(consumerId)
    const events = await administration.audited(`consumerId=${consumerId}`)
    const renamed = { ...namesOf(after.body), before: namesOf(before.body) }
    expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([`consumer:${consumerId}`]))
    expect(events.map(({ action, detail }) => [action, detail])).toEqual([
      ['console.signed-in', subject],
      ['consumer.renamed', { ...renamed, ...subject }],
      ['consumer.roles-set', { roles: ['admin'], before: ['operator'], ...subject }],
      ['console.signed-in', subject],
      ['consumer.created', { roles: ['operator'], ...subject }],
    ])
  })

  test('under any name is one of the two people for a bulk action, and a local account can be the other', async () => {
    const login = someone()
    const planner = await signIn(login, { name: 'Ada', groups: ['ops'] })
    const renamed = await signIn(login, { name: 'Ada Byron', groups: ['ops-admins'] })
    const action = { action: 'hold', reason: 'wrong enclosure', printJobKeys: [randomUUID()] }
    const { cookie } = planner
    const { body: plan } = await call('POST', '/bulk-actions', { cookie, body: action })
    const path = `/bulk-actions/${plan.bulkActionId}/confirm`
    const body = { digest: plan.digest, printJobCount: plan.printJobCount }

    const byRenamed = await call('POST', path, { cookie: renamed.cookie, body })
    const byLocal = await administration.as('operator', 'POST', path, body)

    expect(plan).toMatchObject({ needsSecondPerson: true, plannedBy: renamed.body.userName })
    expect(byRenamed).toMatchObject(
      forbidden('A bulk action on 1 print jobs requires confirmation by a second person'),
    )
    expect(byLocal.status).toBe(200)
  })

  test('can replace credentials only within 5 minutes after a repeated sign-in', async () => {
    const login = someone()
    const consumerId = await administration.aConsumer(`of-${login}`)
    const reset = (cookie: string) =>
      call('POST', `/consumers/${consumerId}/reset-password`, { cookie, body: {} })
    const mustRepeat = forbidden(
      'Sign in again by the OpenID provider to replace credentials. That lasts for 5 minutes',
    )
    const first = await signIn(login, { groups: ['ops-admins'] })
    setClock(new Date())

    expect(new URL(first.begun.body.authorizationUrl).searchParams.get('max_age')).toBe(null)
    expect(first.body).not.toHaveProperty('repeatedUntil')
    expect(await reset(first.cookie)).toMatchObject(mustRepeat)

    const again = await signIn(login, { groups: ['ops-admins'] }, { again: true })

    expect(new URL(again.begun.body.authorizationUrl).searchParams.get('max_age')).toBe('0')
    expect(again.body).toMatchObject({ consumerId: first.body.consumerId })
    const { body: session } = await call('GET', '/sessions', { cookie: again.cookie })
    expect(session.repeatedUntil).toBe(again.body.repeatedUntil)
    expect((await reset(again.cookie)).status).toBe(200)
    expect(await reset(first.cookie)).toMatchObject(mustRepeat)
    clock.now = new Date(Date.parse(again.body.repeatedUntil) - 1)
    expect((await reset(again.cookie)).status).toBe(200)
    clock.now = new Date(again.body.repeatedUntil)
    expect(await reset(again.cookie)).toMatchObject(mustRepeat)
  })

  test('401: repeats the sign-in, and the ID token lacks the time of authentication', async () => {
    const withoutTime = (url: URL) => url.searchParams.delete('max_age')
    const { begun, response } = await beginAs(operator, withoutTime, { again: true })

    expect(await finish(begun.cookie, response)).toMatchObject({ status: 401 })
  })

  test('403: an admin cannot give the account a password or API key that would bypass the provider', async () => {
    const { body } = await signIn(someone(), { groups: ['ops'] })

    for (const path of ['reset-password', 'rotate-key']) {
      expect(
        await administration.asAdmin('POST', `/consumers/${body.consumerId}/${path}`),
      ).toMatchObject(
        forbidden('This account signs in by the OpenID provider and has no password or API key'),
      )
    }
  })

  test('403: stays disabled after an admin has disabled the account', async () => {
    const login = someone()
    const { body, cookie } = await signIn(login, { groups: ['ops'] })
    await administration.asAdmin('POST', `/consumers/${body.consumerId}/disable`)
    const again = await signIn(login, { groups: ['ops-admins'] })

    expect((await call('GET', '/sessions', { cookie })).status).toBe(401)
    expect(again).toMatchObject({
      ...forbidden('Your account in Despatch is disabled. Ask an administrator.'),
      set: [],
    })
    expect((await recordedOf(login))[0]).toMatchObject({
      action: 'console.sign-in-refused',
      consumerId: body.consumerId,
      detail: { issuer: provider.issuer, subject: login, why: 'disabled' },
    })
  })
})

describe('a person without a role', () => {
  const noRole = forbidden(
    'Example ID gives your account no role in Despatch. Ask an administrator for one, then sign in again.',
  )

  test('403: gets no account, not even by a role that permits nothing alone, which is audited', async () => {
    const login = someone()
    const person = { groups: ['ops-addresses'] }
    const count = () => administration.db.selectFrom('consumer').select('id').execute()
    const before = await count()

    expect(await signIn(login, person)).toMatchObject({ ...noRole, set: [] })
    expect(await count()).toHaveLength(before.length)
    expect(await recordedOf(login)).toEqual([
      {
        actor: expect.any(String),
        action: 'console.sign-in-refused',
        detail: { issuer: provider.issuer, subject: login, why: 'no-role' },
      },
    ])
  })

  test('loses existing sessions', async () => {
    const login = someone()
    const { cookie } = await signIn(login, { groups: ['ops'] })
    const before = await call('GET', '/sessions', { cookie })

    expect(await signIn(login, {})).toMatchObject(noRole)
    expect([before.status, (await call('GET', '/sessions', { cookie })).status]).toEqual([200, 401])
  })
})

describe('a response of the provider is refused', () => {
  const foreign = unauthorised(
    'The sign-in has expired, or it began in another browser or tab. Sign in again.',
  )

  test('401: the state is forged, from another browser, or its cookie was altered', async () => {
    const { begun, response } = await beginAs(operator)
    const other = await begin()

    expect(await finish(begun.cookie, { ...response, state: 'forged' })).toMatchObject(foreign)
    expect(await finish(other.cookie, response)).toMatchObject(foreign)
    expect(await finish('', response)).toMatchObject(foreign)
    const altered = `${begun.cookie.slice(0, -3)}${begun.cookie.at(-3) === 'A' ? 'B' : 'A'}${begun.cookie.slice(-2)}`
    expect(await finish(altered, response)).toMatchObject(foreign)
    expect(await finish(begun.cookie, response)).toMatchObject({ status: 201 })
  })

  test('401: the sign-in took longer than 15 minutes', async () => {
    const { begun, response } = await beginAs(operator)

    setClock(new Date(clock.now.getTime() + 15 * 60 * 1000))

    expect(await finish(begun.cookie, response)).toMatchObject(foreign)
  })

  test('401: the code was used before, and the session of its first use continues', async () => {
    const { begun, response, cookie } = await signIn(someone(), operator)

    expect(await finish(begun.cookie, response)).toMatchObject(usedBefore)
    expect((await call('GET', '/sessions', { cookie })).status).toBe(200)
  })

  test.for([
    ['the ID token has another nonce', 'nonce', notValid],
    ['the code has another verifier', 'code_challenge', usedBefore],
  ] as const)('401: %s', async ([, parameter, refused]) => {
    const { body } = await begin()
    const ofAnother = new URL(body.authorizationUrl).searchParams.get(parameter)!
    const { begun, response } = await beginAs(operator, (url) =>
      url.searchParams.set(parameter, ofAnother),
    )

    expect(await finish(begun.cookie, response)).toMatchObject(refused)
  })

  test('401: the person cancels, and the text of the provider is not repeated', async () => {
    const begun = await begin()
    const response = await provider.signInAs('', begun.body.authorizationUrl)

    expect(response).toMatchObject({ error: 'access_denied' })
    expect(await finish(begun.cookie, response)).toMatchObject(
      unauthorised('The sign-in was cancelled, or Example ID does not let you in.'),
    )
  })

  test('403: a page of another origin begins or finishes the sign-in', async () => {
    for (const url of ['/oidc-sign-ins', '/oidc-sign-ins/finish']) {
      const answer = await administration.service.api.inject({
        method: 'POST',
        url: `/administration/v1${url}`,
        headers: { 'sec-fetch-site': 'cross-site' },
        body: { state: 'any' },
      })
      expect([url, answer.statusCode]).toEqual([url, 403])
    }
  })
})

describe('signing out', () => {
  test('200: leads to the sign-out page of the provider, without a token', async () => {
    const { cookie } = await signIn(someone(), { groups: ['ops'] })
    const signedOut = await call('DELETE', '/sessions', { cookie })
    const url = new URL(signedOut.body.endSessionUrl)

    expect(signedOut.status).toBe(200)
    expect(signedOut.set).toEqual([
      'despatch-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ])
    expect(url.origin).toBe(provider.issuer)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'despatch',
      post_logout_redirect_uri: `${consoleUrl}/sign-in`,
    })
    expect((await fetch(url)).status).toBe(200)
    expect((await call('GET', '/sessions', { cookie })).status).toBe(401)
  })

  test('204: ends the session of a local account without the provider', async () => {
    const body = { userName: 'operator', password: passwordOfAll }
    const { status, cookie } = await call('POST', '/sessions', { body })

    expect(status).toBe(201)
    expect((await call('DELETE', '/sessions', { cookie })).status).toBe(204)
  })
})

describe('other settings', () => {
  type Prepare = (other: Awaited<ReturnType<typeof anOidcProvider>>) => void
  const withoutUserinfo = { hasUserinfo: false }
  async function finishAtAnother(
    person: Person,
    options: { hasUserinfo?: boolean },
    prepare: Prepare = () => {},
  ) {
    const other = await anOidcProvider({ consoleUrl, people: { ada: person }, ...options })
    onTestFinished(other.close)
    prepare(other)
    const at = await anAdministration({ settings: other.settings })
    onTestFinished(at.close)
    const begun = await begin(at)
    return finish(begun.cookie, await other.signInAs('ada', begun.body.authorizationUrl), at)
  }

  test('401: the ID token is not signed by a published key', async () => {
    const publishOthers: Prepare = (other) => other.publishOtherKeys()

    expect(await finishAtAnother(operator, {}, publishOthers)).toMatchObject(notValid)
  })

  test('201: the ID token contains the roles, without a userinfo endpoint', async () => {
    expect(await finishAtAnother({ name: 'Ada', ...operator }, withoutUserinfo)).toMatchObject({
      status: 201,
      body: { name: 'Ada', roles: ['operator'] },
    })
  })

  test('401: the ID token was issued to another party', async () => {
    const person = { ...operator, azp: 'another-client' }

    expect(await finishAtAnother(person, withoutUserinfo)).toMatchObject(notValid)
  })

  test('503: the provider is unavailable, and local accounts can still sign in', async () => {
    const gone = await anOidcProvider({ consoleUrl, people: {} })
    await gone.close()
    const at = await anAdministration({ settings: gone.settings })
    onTestFinished(at.close)

    expect(await begin(at)).toMatchObject({
      ...unavailable('Example ID does not respond. Try again later.'),
      set: [],
    })
    const body = { userName: 'operator', password: passwordOfAll }
    expect((await call('POST', '/sessions', { body, at })).status).toBe(201)
    const methods = { localAccounts: true, oidc: { name: 'Example ID' } }
    expect((await call('GET', '/sign-in-methods', { at })).body).toEqual(methods)
  })

  test('503: the provider refuses the client; 403: local accounts are not allowed', async () => {
    const at = await anAdministration({
      settings: {
        ...provider.settings,
        DESPATCH_OIDC_CLIENT_SECRET: 'a secret of the past',
        DESPATCH_OIDC_LOCAL_ACCOUNTS: 'false',
      },
    })
    onTestFinished(at.close)

    expect(await signInAt(at)).toMatchObject(
      unavailable(
        'Example ID does not accept Despatch as its client. Ask an administrator to check the settings.',
      ),
    )
    const body = { userName: 'operator', password: passwordOfAll }
    expect(await call('POST', '/sessions', { body, at })).toMatchObject({
      ...forbidden('Sign in with Example ID'),
      set: [],
    })
    expect((await call('GET', '/sign-in-methods', { at })).body.localAccounts).toBe(false)
  })

  test('401: a local session where local accounts are not allowed any more; a session of a person continues', async () => {
    const settings = { ...provider.settings, DESPATCH_OIDC_LOCAL_ACCOUNTS: 'false' }
    const at = await anAdministration({ settings })
    onTestFinished(at.close)
    const before = createConsoleSessions({
      ...at,
      secretKeyHex: someKeys.DESPATCH_KEY_CONSOLE,
      allowsLocalAccounts: true,
      now: () => clock.now,
    })
    const account = await findAccountByUserName(at.db, 'operator')
    const local = before.begin(account!, { isSecure: false })
    const person = await signInAt(at)

    const status = async (cookie: string) => (await call('GET', '/sessions', { cookie, at })).status
    expect([await status(person.cookie), await status(local.cookie)]).toEqual([200, 401])
  })

  async function signInAt(at: Administration) {
    const login = someone()
    people[login] = operator
    const begun = await begin(at)
    return finish(begun.cookie, await provider.signInAs(login, begun.body.authorizationUrl), at)
  }

  test('404: no provider is configured', async () => {
    const at = await anAdministration()
    onTestFinished(at.close)

    expect((await begin(at)).status).toBe(404)
    expect((await finish('', { state: 'any' }, at)).status).toBe(404)
    expect((await call('GET', '/sign-in-methods', { at })).body).toEqual({ localAccounts: true })
  })
})

test('no code, token, secret, name or address is in the log or the metrics', async () => {
  const person = { name: 'Ada Secret', email: 'ada.secret@example.com', groups: ['ops'] }
  const { response, cookie, begun } = await signIn(someone(), person)
  const metrics = await administration.service.metrics!.metrics()

  const told = administration.lines.join('') + metrics
  expect(told).toContain('/administration/v1/oidc-sign-ins/finish')
  const secrets = [
    response.code!,
    response.state!,
    person.name,
    person.email,
    provider.clientSecret,
  ]
  for (const secret of [...secrets, ...`${cookie}; ${begun.cookie}`.match(/(?<==)[\w-]{20,}/g)!]) {
    expect(told).not.toContain(secret)
  }
})
