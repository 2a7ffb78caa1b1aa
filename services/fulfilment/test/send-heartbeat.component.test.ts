import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const beat = (options: object = {}) => fulfilment.call('POST', '/heartbeat', options)

async function lastSeen(provider: string): Promise<Date | null> {
  const { rows } = await fulfilment.database.pool.query(
    'select last_seen_at from provider where id = $1',
    [provider],
  )
  return rows[0].last_seen_at
}

describe('200', () => {
  test('records each time that the provider is seen, and only of that provider', async () => {
    const first = await beat()
    const second = await beat()

    expect(first).toMatchObject({ status: 200, body: { receivedAt: expect.stringMatching(/Z$/) } })
    expect(Object.keys(first.body)).toEqual(['receivedAt'])
    expect(Date.parse(second.body.receivedAt)).toBeGreaterThan(Date.parse(first.body.receivedAt))
    expect((await lastSeen('north'))?.toISOString()).toBe(second.body.receivedAt)
    expect(await lastSeen('south')).toBeNull()
  })

  test.for([
    ['a day ahead', 86_400],
    ['a day late', -86_400],
  ] as const)(
    "a provider's clock that is %s is reported, and has no other effect",
    async ([, skew]) => {
      const sentAt = new Date(Date.now() + skew * 1_000).toISOString()

      const { body } = await beat({ body: { sentAt } })

      const { receivedAt, clockSkewSeconds } = body
      expect(clockSkewSeconds).toBe((Date.parse(sentAt) - Date.parse(receivedAt)) / 1_000)
      expect(Math.abs(clockSkewSeconds - skew)).toBeLessThan(60)
      expect((await lastSeen('north'))?.toISOString()).toBe(receivedAt)
    },
  )
})
