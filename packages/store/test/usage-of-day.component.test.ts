import { aDatabase } from '@despatch/testing/a-database'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { startTcpProxy } from '@despatch/testing/tcp-proxy'
import { expect, test } from 'vitest'
import { addUsageOfDay, listUsageOfDay } from '../src/access/usage-of-day.ts'
import { openDatabase } from '../src/database.ts'

const { db, url } = await shared(aDatabase())
const proxy = await shared(startTcpProxy({ port: Number(new URL(url).port) }))
const lossy = await shared(openDatabase(proxy.through(url), { name: 'lost', connectionsMax: 2 }))
const service = 'print-request'
const day = 20_500

async function aConsumer() {
  const { consumerId } = await insertConsumer(db)
  const add = (requests: number, peakPerSecond: number, of = day) =>
    addUsageOfDay(db, service, [{ consumerId, day: of, requests, refused: 1, peakPerSecond }])
  return { consumerId, add }
}

test('adds the counts of all processes, and keeps the busiest second', async () => {
  const { consumerId, add } = await aConsumer()
  await add(10, 4)
  await add(5, 3)
  await addUsageOfDay(db, 'driver-find', [
    { consumerId, day, requests: 1, refused: 0, peakPerSecond: 1 },
  ])

  const usage = await listUsageOfDay(db, { consumerId, day })

  expect([...usage]).toEqual(
    expect.arrayContaining([
      [service, { consumerId, day, requests: 15, refused: 2, peakPerSecond: 4 }],
      ['driver-find', { consumerId, day, requests: 1, refused: 0, peakPerSecond: 1 }],
    ]),
  )
})

test('starts a new count each day, and ignores late counts of the day before', async () => {
  const { consumerId, add } = await aConsumer()
  await add(10, 4)
  await add(3, 2, day + 1)
  await add(7, 6)

  expect([...(await listUsageOfDay(db, { consumerId, day }))]).toEqual([])
  expect([...(await listUsageOfDay(db, { consumerId, day: day + 1 }))]).toEqual([
    [service, { consumerId, day: day + 1, requests: 3, refused: 1, peakPerSecond: 2 }],
  ])
})

test('counts once if the reply to the commit is lost and the caller repeats', async () => {
  const { consumerId } = await aConsumer()
  const usage = { consumerId, day, requests: 10, refused: 1, peakPerSecond: 4 }
  const add = () => addUsageOfDay(lossy.db, service, [usage])
  const lost = proxy.loseReply({ request: (bytes) => bytes.includes('insert into usage_of_day') })

  await add().catch(add)

  await lost
  expect([...(await listUsageOfDay(db, usage))]).toEqual([[service, usage]])
})
