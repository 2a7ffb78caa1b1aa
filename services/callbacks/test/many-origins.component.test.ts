import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@despatch/testing/eventually'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { afterAll, expect, test } from 'vitest'
import { startDelivery } from './a-delivery.ts'
import { addCallback, seedCallback, seedPrintJob } from './seed-callback.ts'

const origins = 40
const concurrency = 18
/** Eight ninths of them. */
const share = 16

const delivery = await startDelivery()
afterAll(() => delivery.close())

test('a consumer whose addresses all hang leaves calls for others', async () => {
  const { db } = delivery.database
  let hanging = 0
  // Each address of 127.0.0.0/8 is an origin of its own.
  const tarpit = createServer(() => {
    hanging += 1
  })
  await once(tarpit.listen(0, '0.0.0.0'), 'listening')
  const { port } = tarpit.address() as AddressInfo
  const consumer = await insertConsumer(db)
  const printJobs = []
  for (let host = 1; host <= origins; host++) {
    const target = `http://127.1.${host >> 8}.${host & 255}:${port}/`
    printJobs.push(await seedPrintJob(db, { target, consumer }))
  }
  await Promise.all(printJobs.map((printJob) => addCallback(db, printJob)))
  const receiver = await delivery.startReceiver()

  await delivery.startService({ DESPATCH_CALLBACK_CONCURRENCY: concurrency })
  await eventually(() => hanging === share || undefined, {
    message: 'the consumer has its share of the calls',
  })
  const { id } = await seedCallback(db, { target: receiver.url })

  expect(await delivery.ended(id)).toMatchObject({ state: 'DELIVERED' })
  const attempts = db.selectFrom('callback_attempt').select('callback_id')
  expect(await attempts.execute()).toEqual([{ callback_id: id }])
  tarpit.close()
  tarpit.closeAllConnections()
})
