import { compareWithDocumentation } from '@despatch/testing/documented-metrics'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { startDelivery } from './a-delivery.ts'

const delivery = await shared(startDelivery())

test('exposes exactly the documented metrics', async () => {
  const service = await delivery.startService()
  const { body } = await service.api.inject({ url: '/metrics' })
  await service.close()

  expect(compareWithDocumentation('callbacks', body)).toEqual({ undocumented: [], missing: [] })
})
