import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const beat = (options: object = {}) => fulfilment.call('POST', '/heartbeat', options)

const lastSeen = async (provider: string): Promise<Date | null> =>
  (await fulfilment.rows('select last_seen_at from provider where id = $1', provider))[0]
    .last_seen_at

test('records each time that the provider is seen, and only of that provider', async () => {
  const first = await beat()
  const second = await beat()

  expect(first).toMatchObject({ status: 200, body: { receivedAt: expect.stringMatching(/Z$/) } })
  expect(Object.keys(first.body)).toEqual(['receivedAt'])
  expect(Date.parse(second.body.receivedAt)).toBeGreaterThan(Date.parse(first.body.receivedAt))
  expect((await lastSeen('north'))?.toISOString()).toBe(second.body.receivedAt)
  expect(await lastSeen('south')).toBeNull()
})

test("a provider's clock that is late is reported, and has no other effect", async () => {
  const sentAt = new Date(Date.now() - 86_400_000).toISOString()

  const { receivedAt, clockSkewSeconds } = (await beat({ body: { sentAt } })).body

  expect(clockSkewSeconds).toBe((Date.parse(sentAt) - Date.parse(receivedAt)) / 1_000)
  expect(Math.abs(clockSkewSeconds + 86_400)).toBeLessThan(60)
  expect((await lastSeen('north'))?.toISOString()).toBe(receivedAt)
})
