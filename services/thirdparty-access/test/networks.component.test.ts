import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { insertProvider } from '@despatch/store/access/consumers'
import { shared } from '@despatch/testing/shared'
import { beforeAll, expect, test } from 'vitest'
import {
  apiKey,
  authenticationFailure,
  password,
  startAccess,
  unauthorized,
} from './an-access-service.ts'

const access = await shared(startAccess({ DESPATCH_LOCKOUT_USER_ATTEMPTS: '1000' }))
const within = '203.0.113.7'
const outside = '198.51.100.7'
const newPassword = 'Another-passw0rd'
const refused = {
  status: 403,
  body: [
    {
      status: 403,
      code: 403,
      title: 'Forbidden',
      detail: 'The address of the request is not among those of the consumer',
    },
  ],
}

const post = (operation: string, body: unknown, from: string, headers = {}) =>
  access.post(operation, body, headers, from)
const signIn = (from: string, userName = 'notify', given = password) =>
  post('authenticate', { userName, password: given }, from)

let token: string
beforeAll(async () => {
  token = (await access.signIn()).body['id-token']
  await access.change({ networks: ['203.0.113.0/24'] })
})

test('a sign-in is accepted only from a network of the consumer', async () => {
  expect((await signIn(within)).status).toBe(200)
  expect((await signIn(`::ffff:${within}`)).status).toBe(200)
  expect(await signIn(outside)).toEqual(refused)
})

test('a wrong password gets the same answer from any network', async () => {
  expect(await signIn(outside, 'notify', 'wrong')).toEqual(authenticationFailure)
  expect(await signIn(within, 'notify', 'wrong')).toEqual(authenticationFailure)
})

test('a change of the networks applies to the next sign-in', async () => {
  await access.seed('moves')
  const change = async (networks: string[]) =>
    access.change({ networks }, await access.seed('moves'))

  expect((await signIn(outside, 'moves')).status).toBe(200)
  await change(['203.0.113.0/24'])
  expect((await signIn(outside, 'moves')).status).toBe(403)
  await change(['203.0.113.0/24', '198.51.100.0/24'])
  expect((await signIn(outside, 'moves')).status).toBe(200)
  await change([])
  expect((await signIn('192.0.2.1', 'moves')).status).toBe(200)
})

test('a password can be changed only from a network of the consumer', async () => {
  const change = { userName: 'notify', password, newPassword }
  const wrong = { ...change, password: 'wrong' }

  expect(await post('password', change, outside)).toEqual(refused)
  expect(await post('password', wrong, outside)).toEqual(unauthorized)
  expect((await signIn(within)).status).toBe(200)
})

test('an API key can be changed only from a network of the consumer', async () => {
  const headers = { authorization: token, 'x-api-key': apiKey }

  expect(await post('new-api-key', {}, outside, headers)).toEqual(refused)
  expect(await post('new-api-key', {}, outside, { ...headers, 'x-api-key': 'wrong' })).toEqual(
    unauthorized,
  )
  const limited = createAuthenticator({ db: access.db, role: 'consumer' })
  expect((await limited(headers, { ip: within })).consumerId).toBe(access.consumerId)
  await expect(limited(headers)).rejects.toMatchObject({ kind: 'not-permitted' })
})

test.each(['operator', 'provider'] as const)(
  'the networks do not limit the sign-in of an account that is also %s',
  async (role) => {
    await insertProvider(access.db, { id: 'north', name: 'North', printLocations: ['leeds'] })
    const id = await access.seed(role, {
      roles: ['consumer', role],
      ...(role === 'provider' && { providerId: 'north' }),
    })
    await access.change({ networks: ['203.0.113.0/24'] }, id)

    const { status, body } = await signIn(outside, role)

    expect(status).toBe(200)
    const headers = { authorization: body['id-token'], 'x-api-key': `key-of-${role}` }
    const from = { ip: outside }
    const { db } = access
    expect((await createAuthenticator({ db, role })(headers, from)).consumerId).toBe(id)
    expect((await createAuthenticator({ db })(headers, from)).consumerId).toBe(id)
    // what it does as a consumer stays limited
    const asConsumer = createAuthenticator({ db, role: 'consumer' })(headers, from)
    await expect(asConsumer).rejects.toMatchObject({ kind: 'not-permitted' })
  },
)
