import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())
await fulfilment.rows(
  `insert into print_site (provider_id, print_location, capabilities)
    select 'north', 'NORTH-2', capabilities from print_site where provider_id = 'north'`,
)

const whoami = (headers: Record<string, string> = {}) =>
  fulfilment.call('GET', '/whoami', { headers })

test('returns the provider of the credentials, its sites and the current time', async () => {
  const { status, body } = await whoami()

  expect({ status, body }).toEqual({
    status: 200,
    body: {
      providerId: 'north',
      name: 'North',
      exchange: 'http',
      printLocations: ['NORTH', 'NORTH-2'],
      roles: ['provider'],
      serverTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  })
  expect(Math.abs(Date.parse(body.serverTime) - Date.now())).toBeLessThan(60_000)
})

test('returns the clock skew from the Date header', async () => {
  const tomorrow = new Date(Date.now() + 86_400_000)

  const { clockSkewSeconds } = (await whoami({ date: tomorrow.toUTCString() })).body

  expect(Math.abs(clockSkewSeconds - 86_400)).toBeLessThan(60)
})

test('403: the caller belongs to no provider', async () => {
  expect((await fulfilment.call('GET', '/whoami', { provider: 'nobody' })).status).toBe(403)
})
