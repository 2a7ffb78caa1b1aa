import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())

/** Returns the audit events of a consumer since its creation, oldest first. */
async function changesOf(consumerId: string): Promise<[action: string, detail: object][]> {
  const events = await administration.audited(`consumerId=${consumerId}`)
  return events
    .map(({ action, detail }): [string, object] => [action, detail])
    .reverse()
    .slice(1)
}

test('PUT /consumers/{consumerId}/services: 200, replaces the services, and a repetition changes nothing', async () => {
  const consumerId = await administration.aConsumer('enquirer')
  const path = `/consumers/${consumerId}/services`
  const services = ['vehicle-enquiry', 'driver-find', 'vehicle-enquiry']

  const first = await administration.asAdmin('PUT', path, { services })
  const again = await administration.asAdmin('PUT', path, { services: services.toReversed() })
  const none = await administration.asAdmin('PUT', path, { services: [] })

  const kept = ['vehicle-enquiry', 'driver-find']
  expect([first.status, first.body.services]).toEqual([200, kept])
  expect(again.body).toEqual(first.body)
  expect(none.body.services).toEqual([])
  expect(await changesOf(consumerId)).toEqual([
    ['consumer.services-set', { services: kept, before: ['print-request'] }],
    ['consumer.services-set', { services: [], before: kept }],
  ])
})

describe('PUT /consumers/{consumerId}/usage-plan', () => {
  test('200: sets the plan, and a repetition changes nothing', async () => {
    const consumerId = await administration.aConsumer('grows')
    const path = `/consumers/${consumerId}/usage-plan`
    await administration.asAdmin('PUT', '/usage-plans/bulk', {
      limits: [{ service: 'print-request', requestsPerSecond: 500, burst: 0 }],
    })

    const first = await administration.asAdmin('PUT', path, { usagePlan: 'bulk' })
    await administration.asAdmin('PUT', path, { usagePlan: 'bulk' })

    expect([first.status, first.body.usagePlan]).toEqual([200, 'bulk'])
    expect(await changesOf(consumerId)).toEqual([
      ['consumer.usage-plan-set', { usagePlan: 'bulk', before: 'standard' }],
    ])
  })

  test('400: the plan is unknown', async () => {
    const path = `/consumers/${administration.ids.consumer}/usage-plan`

    expect(await administration.asAdmin('PUT', path, { usagePlan: 'endless' })).toMatchObject(
      aProblem(400, { code: 'InvalidFormat', title: 'usagePlan' }),
    )
  })
})

describe('PUT /consumers/{consumerId}/networks', () => {
  test('200: replaces the networks, a repetition changes nothing, and an empty list removes the limit', async () => {
    const consumerId = await administration.aConsumer('limited')
    const path = `/consumers/${consumerId}/networks`
    const networks = ['203.0.113.0/24', '2001:db8::/32', '203.0.113.0/24']
    const kept = ['203.0.113.0/24', '2001:db8::/32']

    const first = await administration.asAdmin('PUT', path, { networks })
    const again = await administration.asAdmin('PUT', path, { networks: kept.toReversed() })
    const read = await administration.asAdmin('GET', `/consumers/${consumerId}`)
    const lifted = await administration.asAdmin('PUT', path, { networks: [] })

    expect([first.status, first.body.networks]).toEqual([200, kept])
    expect(again.body).toEqual(first.body)
    expect(read.body.networks).toEqual(kept)
    expect(lifted.body.networks).toEqual([])
    expect(await changesOf(consumerId)).toEqual([
      ['consumer.networks-set', { networks: kept, before: [] }],
      ['consumer.networks-set', { networks: [], before: kept }],
    ])
  })

  test('400: names the malformed network', async () => {
    const path = `/consumers/${administration.ids.consumer}/networks`
    const put = (networks: readonly string[]) => administration.asAdmin('PUT', path, { networks })

    expect(await put(['203.0.113.0/24', '203.0.113.7/24'])).toMatchObject(
      aProblem(400, { code: 'InvalidFormat', title: 'networks[1]' }),
    )
  })
})

describe('PUT /consumers/{consumerId}/roles', () => {
  test('200: sets roles and provider, and a repetition changes nothing', async () => {
    const consumerId = await administration.aConsumer('changes-sides')
    const path = `/consumers/${consumerId}/roles`
    const asked = { roles: ['provider'], providerId: 'north' }

    const first = await administration.asAdmin('PUT', path, asked)
    await administration.asAdmin('PUT', path, asked)
    const back = await administration.asAdmin('PUT', path, { roles: ['consumer'] })

    expect(first).toMatchObject({ status: 200, body: asked })
    expect(back.body).toMatchObject({ roles: ['consumer'] })
    expect(back.body).not.toHaveProperty('providerId')
    expect(await changesOf(consumerId)).toEqual([
      ['consumer.roles-set', { ...asked, before: ['consumer'] }],
      ['consumer.roles-set', { roles: ['consumer'], before: ['provider'] }],
    ])
  })

  test('400: the provider is missing', async () => {
    const path = `/consumers/${administration.ids.consumer}/roles`

    expect(await administration.asAdmin('PUT', path, { roles: ['provider'] })).toMatchObject(
      aProblem(400, { title: 'providerId' }),
    )
  })

  test('409: admins cannot remove their own admin role, but can add roles', async () => {
    const path = `/consumers/${administration.ids.admin}/roles`

    const less = await administration.asAdmin('PUT', path, { roles: ['operator'] })
    const more = await administration.asAdmin('PUT', path, { roles: ['operator', 'admin'] })

    const detail = 'Ask another operator to remove your access'
    expect(less).toMatchObject(aProblem(409, { code: 'OwnAccess', detail }))
    expect(more).toMatchObject({ status: 200, body: { roles: ['operator', 'admin'] } })
  })
})
