import { eventually } from '@despatch/testing/eventually'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { expect, onTestFinished, test } from 'vitest'
import { startDelivery } from './a-delivery.ts'
import { seedCallback } from './seed-callback.ts'

test('after a silent database answers again, callbacks are delivered', async () => {
  const delivery = await startDelivery()
  onTestFinished(() => delivery.close())
  const proxy = await startTcpProxy({ port: Number(new URL(delivery.url).port) })
  onTestFinished(() => proxy.close())
  const receiver = await delivery.startReceiver()
  const { db } = delivery.database
  await delivery.startService(
    { DATABASE_URL: proxy.through(delivery.database.serviceUrl('callbacks')) },
    { silence: { silenceMsMax: 1_500 } },
  )
  const before = await seedCallback(db, { target: receiver.url })
  await delivery.ended(before.id)

  proxy.hang()
  const { id } = await seedCallback(db, { target: receiver.url })
  await eventually(() => delivery.logged.some((line) => line.includes('SilentServer')), {
    message: 'a statement has ended with its deadline',
  })
  proxy.resume()

  expect(await delivery.ended(id)).toEqual({ state: 'DELIVERED', endReason: null, attempts: 1 })
  expect(receiver.calls).toHaveLength(2)
})
