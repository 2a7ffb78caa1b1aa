import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { authenticationFailure, dayMs, isoDay, password, startAccess } from './an-access-service.ts'

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

test('logs the id of a signed-in consumer, and never a user name, password or token', async () => {
  stack.lines.length = 0
  const { body } = await post({ userName: 'notify', password })
  await post({ userName: 'somebody else', password })

  const log = stack.lines.join('')
  expect(log).toContain(stack.consumerId)
  for (const secret of ['"notify"', 'somebody else', JSON.stringify(password), body['id-token']]) {
    expect(log).not.toContain(secret)
  }
})
