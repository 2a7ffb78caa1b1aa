import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())

const limit = { service: 'print-request', requestsPerSecond: 5, burst: 10 }

test('GET /usage-plans: 200, by name with the limits by service', async () => {
  const { status, body } = await administration.asOperator('GET', '/usage-plans')

  expect(status).toBe(200)
  expect(body.usagePlans.find(({ name }: { name: string }) => name === 'standard')).toEqual({
    name: 'standard',
    limits: [
      { service: 'driver-find', requestsPerSecond: 10, burst: 20 },
      { service: 'full-driver-enquiry', requestsPerSecond: 10, burst: 20 },
      { service: 'print-request', requestsPerSecond: 100, burst: 200 },
      { service: 'vehicle-enquiry', requestsPerSecond: 10, burst: 20 },
    ],
  })
})

describe('PUT /usage-plans/{name}', () => {
  test('200: creates a plan, then replaces it, and a repetition changes nothing', async () => {
    const find = { ...limit, service: 'driver-find', requestsPerDay: 1_000, bytesPerDay: 2_000_000 }

    const put = (...limits: object[]) =>
      administration.asAdmin('PUT', '/usage-plans/small', { limits })
    const made = await put(limit, find)
    const changed = await put({ ...limit, burst: 0 })
    const again = await put({ ...limit, burst: 0 })

    expect([made.status, made.body]).toEqual([200, { name: 'small', limits: [find, limit] }])
    expect(changed.body).toEqual({ name: 'small', limits: [{ ...limit, burst: 0 }] })
    expect(again.body).toEqual(changed.body)
    const { body: plans } = await administration.asAdmin('GET', '/usage-plans')
    expect(plans.usagePlans).toContainEqual(changed.body)
    expect(await administration.audited('action=usage-plan.saved&about=small')).toMatchObject([
      { detail: { usagePlan: 'small', limits: [{ burst: 0 }] } },
      { detail: { usagePlan: 'small', limits: [{}, { burst: 10 }] } },
    ])
  })

  test('400: a service is repeated', async () => {
    const body = { limits: [limit, limit] }

    expect(await administration.asAdmin('PUT', '/usage-plans/small', body)).toMatchObject(
      aProblem(400, { status: '400 BAD_REQUEST', title: 'limits[1].service' }),
    )
  })
})
