import { compareWithDocumentation } from '@despatch/testing/documented-metrics'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Delivery, startDelivery } from './a-delivery.ts'

let delivery: Delivery

beforeAll(async () => {
  delivery = await startDelivery()
})
afterAll(() => delivery.close())

test('exposes the metrics that are documented, as they are', async () => {
  const service = await delivery.startService()
  const { body } = await service.api.inject({ url: '/metrics' })
  await service.close()

  expect(compareWithDocumentation('callbacks', body)).toEqual({ undocumented: [], missing: [] })
})
