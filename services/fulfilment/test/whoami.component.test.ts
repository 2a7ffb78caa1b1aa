import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())
await fulfilment.database.pool.query(
  `insert into print_site (provider_id, print_location, capabilities)
    select 'north', 'NORTH-2', capabilities from print_site where provider_id = 'north'`,
)

const whoami = (options: object = {}) => fulfilment.call('GET', '/whoami', options)

describe('200', () => {
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

    const { body } = await whoami({ headers: { date: tomorrow.toUTCString() } })

    const { serverTime, clockSkewSeconds } = body
    const headerMs = Math.floor(tomorrow.getTime() / 1_000) * 1_000
    expect(clockSkewSeconds).toBe((headerMs - Date.parse(serverTime)) / 1_000)
    expect(Math.abs(clockSkewSeconds - 86_400)).toBeLessThan(60)
  })

  test('ignores an unreadable Date header', async () => {
    const { status, body } = await whoami({ headers: { date: 'noon' } })

    expect([status, body.clockSkewSeconds]).toEqual([200, undefined])
  })
})

describe('401 and 403', () => {
  test('the caller has no credentials, or belongs to no provider', async () => {
    const answers = [await whoami({ provider: '' }), await whoami({ provider: 'nobody' })]

    expect(answers.map(({ status }) => status)).toEqual([401, 403])
  })
})
