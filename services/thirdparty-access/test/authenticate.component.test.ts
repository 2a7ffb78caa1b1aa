import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { seedConsumer } from '@despatch/access/seed'
import {
  renderAccessFault,
  renderAccessProblem,
} from '@despatch/contracts/thirdparty-access/problems'
import { createApi } from '@despatch/http/api'
import { openDatabase } from '@despatch/store/database'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { authenticate } from '../src/operations/authenticate.ts'
import { createThirdpartyAccess } from '../src/service.ts'

const password = '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~ aA1é'
const apiKey = 'key-of-notify'
const day = 24 * 60 * 60 * 1000
const lines: string[] = []

let stack: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  stack = await start()
})
afterAll(() => stack.stop())

async function start() {
  const test = await cloneDatabase()
  const database = openDatabase(test.url, { name: 'test', connectionsMax: 2 })
  const { db } = database
  const clock = { now: new Date() }
  const seed = { name: 'Notify', password, apiKey, roles: ['consumer'] as const, contracts: [] }
  const consumerId = await seedConsumer(db, { ...seed, userName: 'notify' })
  await seedConsumer(db, { ...seed, userName: 'disabled', apiKey: 'another key' })
  await db
    .updateTable('consumer')
    .set({ disabled_at: new Date() })
    .where('user_name', '=', 'disabled')
    .execute()
  const service = await createThirdpartyAccess(
    {
      DATABASE_URL: test.url,
      DESPATCH_SECRET_KEY: 'ab'.repeat(32),
      HOST: '127.0.0.1',
      PORT: 0,
      LOG_LEVEL: 'info',
    },
    {
      log: createLogger({
        service: 'thirdparty-access',
        destination: { write: (line: string) => void lines.push(line) },
      }),
      now: () => clock.now,
    },
  )
  const stop = async () => {
    await service.close()
    await database.close()
    await test.drop()
  }
  return { service, db, clock, consumerId, stop }
}

async function post(body: unknown, headers: Record<string, string> = {}) {
  const answer = await stack.service.api.inject({
    method: 'POST',
    url: '/thirdparty-access/v1/authenticate',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.statusCode, body: answer.json() }
}

const isoDay = (date: Date) => date.toISOString().slice(0, 10)

describe('200', () => {
  test('gives a JWT that lasts an hour, and the days on which password and key expire', async () => {
    const answer = await post({ userName: 'notify', password, other: 'ignored' })

    expect(answer).toEqual({
      status: 200,
      body: {
        'id-token': expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        apiKeyExpiry: isoDay(new Date(stack.clock.now.getTime() + 365 * day)),
        passwordExpiry: isoDay(new Date(stack.clock.now.getTime() + 90 * day)),
      },
    })
    const [header, claims] = answer.body['id-token']
      .split('.', 2)
      .map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    expect(header).toEqual({ alg: 'RS256', kid: expect.any(String), typ: 'JWT' })
    expect(claims).toEqual({
      iss: 'despatch',
      sub: stack.consumerId,
      roles: ['consumer'],
      iat: Math.floor(stack.clock.now.getTime() / 1000),
      exp: Math.floor(stack.clock.now.getTime() / 1000) + 3600,
    })
  })

  test('gives a JWT that other services take, together with the API key', async () => {
    const { body } = await post({ userName: 'notify', password })
    const authenticateCaller = createAuthenticator({ db: stack.db, role: 'consumer' })

    const caller = await authenticateCaller({
      authorization: body['id-token'],
      'x-api-key': apiKey,
    })

    expect(caller.consumerId).toBe(stack.consumerId)
  })

  test('publishes the key that checks the JWT, and nothing of the private half', async () => {
    const { body } = await post({ userName: 'notify', password })
    const { kid } = JSON.parse(Buffer.from(body['id-token'].split('.')[0], 'base64url').toString())

    const answer = await stack.service.api.inject({ url: '/thirdparty-access/v1/jwks.json' })

    expect(answer.json()).toEqual({
      keys: [
        {
          kid,
          kty: 'RSA',
          alg: 'RS256',
          use: 'sig',
          e: 'AQAB',
          n: expect.stringMatching(/^[\w-]{342}$/),
        },
      ],
    })
  })
})

describe('400', () => {
  const malformed = (detail: string) => ({
    status: 400,
    code: 400,
    title: 'Malformed request',
    detail,
  })
  test.for<[name: string, body: unknown, details: string[]]>([
    ['nothing', {}, ['userName must not be null', 'password must not be null']],
    ['no user name', { password }, ['userName must not be null']],
    ['no password', { userName: 'notify' }, ['password must not be null']],
    ['an empty password', { userName: 'notify', password: '' }, ['password must not be empty']],
    ['a number for a user name', { userName: 1, password }, ['userName must be a string']],
    [
      'a NUL character',
      { userName: 'a\u0000', password },
      ['userName must not contain NUL characters or unpaired surrogates'],
    ],
    ['an array', [], ['body must be an object']],
    ['no body', '', ['body must not be null']],
    ['JSON that cannot be read', '{"userName":', ['The request body must be JSON']],
  ])('%s', async ([, body, details]) => {
    expect(await post(body)).toEqual({ status: 400, body: details.map(malformed) })
  })
})

describe('401', () => {
  const refusal = {
    status: 401,
    body: [
      {
        status: 401,
        code: 401,
        title: 'Authentication Failure',
        detail: 'User name or password incorrect, or too many incorrect attempts',
      },
    ],
  }

  test.for([
    ['a wrong password', { userName: 'notify', password: `${password} ` }],
    ['an unknown user', { userName: 'nobody', password }],
    ['a user name in other letters', { userName: 'NOTIFY', password }],
    ['a disabled consumer', { userName: 'disabled', password }],
  ] as const)('%s', async ([, body]) => {
    expect(await post(body)).toEqual(refusal)
  })

  test('an expired password, from the day after its last', async () => {
    const realNow = stack.clock.now
    onTestFinished(() => {
      stack.clock.now = realNow
    })

    stack.clock.now = new Date(realNow.getTime() + 90 * day)
    const onTheLastDay = await post({ userName: 'notify', password })
    stack.clock.now = new Date(realNow.getTime() + 91 * day)
    const after = await post({ userName: 'notify', password })

    expect(onTheLastDay.status).toBe(200)
    expect(after).toEqual(refusal)
  })

  // a check that was left out for an unknown user would tell by its speed who is known
  test('checks a password even for an unknown user', async () => {
    const api = await createApi({
      name: 'test',
      prefix: '/thirdparty-access',
      log: createLogger({ service: 'test', level: 'silent' }),
      metrics: createMetrics('test'),
      bodyBytesMax: 1_000,
      openapi: { title: '', description: '', version: '1' },
      renderProblem: renderAccessProblem,
      renderFault: renderAccessFault,
    })
    onTestFinished(() => api.close())
    authenticate(api, {
      db: stack.db,
      signingKey: () => Promise.reject(new Error('nobody is to get a token')),
      nobodysPasswordHash: 'a check of this hash fails loudly',
      now: () => new Date(),
    })

    const answer = await api.inject({
      method: 'POST',
      url: '/thirdparty-access/v1/authenticate',
      body: { userName: 'nobody', password },
    })

    expect(answer.statusCode).toBe(500)
  })
})

describe('the plumbing', () => {
  test.for([
    ['GET', '/thirdparty-access/v1/authenticate'],
    ['POST', '/thirdparty-access/v1/unknown'],
  ] as const)('%s %s is a 404 in the shape of this interface', async ([method, url]) => {
    const answer = await stack.service.api.inject({ method, url })

    expect([answer.statusCode, answer.json()]).toEqual([
      404,
      [{ status: 404, code: 404, title: 'Not Found', detail: 'There is nothing at this address' }],
    ])
  })

  test('is ready while the database answers', async () => {
    expect(await stack.service.ready()).toEqual([{ name: 'database', ok: true }])
  })

  test('describes itself', async () => {
    const answer = await stack.service.api.inject({ url: '/thirdparty-access/v1/openapi.json' })

    expect(Object.keys(answer.json().paths)).toEqual([
      '/thirdparty-access/v1/authenticate',
      '/thirdparty-access/v1/jwks.json',
    ])
  })

  test('logs who signed in by id, and never a user name, password or token', async () => {
    lines.length = 0
    const { body } = await post({ userName: 'notify', password })
    await post({ userName: 'somebody else', password })

    const log = lines.join('')
    expect(log).toContain(stack.consumerId)
    for (const secret of [
      '"notify"',
      'somebody else',
      JSON.stringify(password),
      body['id-token'],
    ]) {
      expect(log).not.toContain(secret)
    }
  })
})
