import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  apiKey,
  authenticationFailure,
  dayMs,
  fault,
  isoDay,
  malformed,
  password,
  startAccess,
} from './an-access-service.ts'

// failed sign-ins in one test must not lock the user of another
const stack = await shared(startAccess({ DESPATCH_LOCKOUT_USER_ATTEMPTS: '1000' }))
await stack.change({ disabled_at: new Date() }, await stack.seed('disabled'))

function post(body: unknown) {
  return stack.post('authenticate', body)
}

describe('200', () => {
  test('returns a JWT that is valid for an hour, and the expiry dates of password and key', async () => {
    const answer = await post({ userName: 'notify', password, other: 'ignored' })

    expect(answer).toEqual({
      status: 200,
      body: {
        'id-token': expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        apiKeyExpiry: isoDay(new Date(stack.clock.now.getTime() + 365 * dayMs)),
        passwordExpiry: isoDay(new Date(stack.clock.now.getTime() + 90 * dayMs)),
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
      services: ['print-request'],
      gen: 0,
      iat: Math.floor(stack.clock.now.getTime() / 1000),
      exp: Math.floor(stack.clock.now.getTime() / 1000) + 3600,
    })
  })

  test('returns a JWT that other services accept together with the API key', async () => {
    const { body } = await post({ userName: 'notify', password })
    const authenticateCaller = createAuthenticator({ db: stack.db, role: 'consumer' })

    const caller = await authenticateCaller({
      authorization: body['id-token'],
      'x-api-key': apiKey,
    })

    expect(caller.consumerId).toBe(stack.consumerId)
  })

  test('publishes the public key that verifies the JWT, and not the private key', async () => {
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
  test.for<[name: string, body: unknown, details: string[]]>([
    ['nothing', {}, ['userName must not be null', 'password must not be null']],
    [
      'JSON that cannot be read',
      '{"userName":',
      ['The request body must be JSON. It ends too early'],
    ],
  ])('%s', async ([, body, details]) => {
    expect(await post(body)).toEqual(malformed(...details))
  })
})

describe('401', () => {
  test.for([
    ['a wrong password', { userName: 'notify', password: `${password} ` }],
    ['an unknown user', { userName: 'nobody', password }],
    ['a user name in other letters', { userName: 'NOTIFY', password }],
    ['a user name in full-width letters', { userName: 'ｎｏｔｉｆｙ', password }],
    ['a user name with a letter that looks the same', { userName: 'nоtify', password }],
    ['a user name with line breaks', { userName: 'notify\r\nX-Header: 1', password }],
    ['a user name with SQL', { userName: "notify' or '1'='1", password }],
    ['a disabled consumer', { userName: 'disabled', password }],
  ] as const)('%s', async ([, body]) => {
    expect(await post(body)).toEqual(authenticationFailure)
  })

  test('the password has expired, from the day after its last', async () => {
    const realNow = stack.clock.now
    onTestFinished(() => {
      stack.clock.now = realNow
    })

    stack.clock.now = new Date(realNow.getTime() + 90 * dayMs)
    const onTheLastDay = await post({ userName: 'notify', password })
    stack.clock.now = new Date(realNow.getTime() + 91 * dayMs)
    const after = await post({ userName: 'notify', password })

    expect(onTheLastDay.status).toBe(200)
    expect(after).toEqual(authenticationFailure)
  })
})

describe('413 and 415', () => {
  test('the body is too large', async () => {
    expect(await post({ userName: 'notify', password: 'x'.repeat(20_000) })).toEqual({
      status: 413,
      body: [
        {
          status: 413,
          code: 413,
          title: 'Payload Too Large',
          detail: 'The request body is too large: at most 16384 bytes are accepted',
        },
      ],
    })
  })

  test('the body has another type', async () => {
    const answer = await stack.post('authenticate', '<a/>', { 'content-type': 'text/xml' })

    expect(answer).toEqual({
      status: 415,
      body: [
        {
          status: 415,
          code: 415,
          title: 'Unsupported Media Type',
          detail: 'The Content-Type must be application/json',
        },
      ],
    })
  })
})

describe('500', () => {
  test('a database failure returns only an error id', async () => {
    const broken = await startAccess()
    onTestFinished(() => broken.stop())
    await broken.pool.query('alter table sign_in_failure rename to elsewhere')

    expect(await broken.signIn()).toEqual(fault)
    expect(broken.lines.join('')).not.toContain(password)
  })
})

describe('outside the operation', () => {
  test.for([
    ['POST', 'unknown', 404, 'Not Found', 'The address does not exist'],
    ['GET', 'authenticate', 405, 'Method Not Allowed', 'The address accepts only POST'],
  ] as const)(
    '%s /%s is a %s in the error format of this API',
    async ([method, path, status, title, detail]) => {
      const url = `/thirdparty-access/v1/${path}`
      const answer = await stack.service.api.inject({ method, url })

      expect([answer.statusCode, answer.json()]).toEqual([
        status,
        [{ status, code: status, title, detail }],
      ])
    },
  )

  test('is ready while the database answers', async () => {
    expect(await stack.service.ready()).toEqual([{ name: 'database', ok: true }])
  })

  test('the OpenAPI document has every operation', async () => {
    const answer = await stack.service.api.inject({ url: '/thirdparty-access/v1/openapi.json' })

    expect(Object.keys(answer.json().paths)).toEqual([
      '/thirdparty-access/v1/authenticate',
      '/thirdparty-access/v1/password',
      '/thirdparty-access/v1/new-password',
      '/thirdparty-access/v1/new-api-key',
      '/thirdparty-access/v1/jwks.json',
    ])
  })

  test('logs the id of a signed-in consumer, and never a user name, password or token', async () => {
    stack.lines.length = 0
    const { body } = await post({ userName: 'notify', password })
    await post({ userName: 'somebody else', password })

    const log = stack.lines.join('')
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
