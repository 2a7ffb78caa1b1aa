import { openUsageStore } from '@despatch/access/usage-store'
import { addUsageOfDay } from '@despatch/store/access/usage-of-day'
import { openDatabase } from '@despatch/store/database'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { shared } from '@despatch/testing/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Administration, anAdministration } from './an-administration.ts'

const now = new Date()
const day = Math.floor(now.getTime() / 86_400_000)
const endsAt = new Date((day + 1) * 86_400_000).toISOString()
const none = { requests: 0, refused: 0, peakPerSecond: 0 }
const perSecond = { requestsPerSecond: 5, burst: 10 }
const slowly = { requestsPerSecond: 1, burst: 0 }
const perDay = { requestsPerDay: 200, bytesPerDay: 10_485_760 }
const daily = {
  limits: [
    { service: 'print-request', ...perSecond, ...perDay },
    { service: 'driver-find', ...slowly },
  ],
}

const administration = await shared(anAdministration({ now: () => now }))
await administration.asAdmin('PUT', '/usage-plans/daily', daily)

/** A consumer on that plan who may use print-request and vehicle-enquiry. */
async function aLimitedConsumer(of: Administration, userName: string): Promise<string> {
  const consumerId = await of.aConsumer(userName)
  const services = ['print-request', 'vehicle-enquiry']
  await of.asAdmin('PUT', `/consumers/${consumerId}/services`, { services })
  await of.asAdmin('PUT', `/consumers/${consumerId}/usage-plan`, { usagePlan: 'daily' })
  return consumerId
}

describe('GET /consumers/{consumerId}/usage', () => {
  test('200: returns the limits of the plan, the use of the day in the store, and the end of the day', async () => {
    const consumerId = await aLimitedConsumer(administration, 'uses')
    const database = openDatabase(administration.url, { name: 'test', connectionsMax: 1 })
    onTestFinished(() => database.close())
    const store = openUsageStore({
      queueUrl: undefined,
      pool: database.pool,
      log: createLogger({ service: 'test', destination: { write: () => {} } }),
      metrics: createMetrics('test'),
    })
    const { db } = database
    const today = { requests: 12, refused: 3, peakPerSecond: 5 }
    await addUsageOfDay(db, 'vehicle-enquiry', [{ consumerId, day, ...today }])
    await addUsageOfDay(db, 'driver-find', [
      { consumerId, day: day - 1, requests: 9, refused: 0, peakPerSecond: 9 },
    ])
    await store.add(`print-request ${consumerId} day ${day}`, 150, 86_400)
    await store.add(`print-request ${consumerId} day ${day - 1}`, 190, 86_400)
    // in kibibytes
    await store.add(`print-request ${consumerId} bytes ${day}`, 2_000, 86_400)

    const { status, body } = await administration.asOperator(
      'GET',
      `/consumers/${consumerId}/usage`,
    )

    const ofDay = { endsAt, isKnown: true }
    expect(status).toBe(200)
    expect(body).toEqual({
      consumerId,
      usagePlan: 'daily',
      at: now.toISOString(),
      services: [
        { service: 'driver-find', isLetIn: false, isLimited: true, ...slowly, today: none },
        {
          service: 'print-request',
          isLetIn: true,
          isLimited: true,
          today: none,
          ...perSecond,
          day: {
            ...ofDay,
            requestsPerDay: 200,
            usedAbout: 150,
            leftAbout: 50,
            unreportedMax: 10,
          },
          dayBytes: {
            ...ofDay,
            bytesPerDay: 10_485_760,
            usedAbout: 2_048_000,
            leftAbout: 8_437_760,
            unreportedMax: 524_288,
          },
        },
        { service: 'vehicle-enquiry', isLetIn: true, isLimited: false, today },
      ],
    })
  })

  test('200: returns an unknown use while the store does not answer', async () => {
    const alone = await anAdministration({
      now: () => now,
      // no server listens there
      settings: { QUEUE_URL: 'redis://127.0.0.1:1' },
    })
    onTestFinished(() => alone.close())
    await alone.asAdmin('PUT', '/usage-plans/daily', daily)
    const consumerId = await aLimitedConsumer(alone, 'asks')

    const { status, body } = await alone.asOperator('GET', `/consumers/${consumerId}/usage`)

    const { day, dayBytes } = body.services[1]
    expect([status, day, dayBytes]).toEqual([
      200,
      { requestsPerDay: 200, endsAt, isKnown: false, unreportedMax: 10 },
      { bytesPerDay: 10_485_760, endsAt, isKnown: false, unreportedMax: 524_288 },
    ])
  })
})
