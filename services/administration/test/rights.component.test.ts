import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())

/** Returns the audit events of a consumer since its creation, oldest first. */
async function changesOf(consumerId: string): Promise<unknown[]> {
  const { body } = await administration.asAdmin('GET', `/audit-events?consumerId=${consumerId}`)
  return body.auditEvents
    .map(({ action, detail }: { action: string; detail: unknown }) => ({ action, detail }))
    .reverse()
    .slice(1)
}

describe('PUT /consumers/{consumerId}/services', () => {
  test('200: replaces the services, and a repetition changes nothing', async () => {
    const consumerId = await administration.aConsumer('enquirer')
    const path = `/consumers/${consumerId}/services`
    const services = ['vehicle-enquiry', 'driver-find', 'vehicle-enquiry']

    const first = await administration.asAdmin('PUT', path, { services })
    const again = await administration.asAdmin('PUT', path, { services: services.toReversed() })
    const none = await administration.asAdmin('PUT', path, { services: [] })

    expect([first.status, first.body.services]).toEqual([200, ['vehicle-enquiry', 'driver-find']])
    expect(again.body).toEqual(first.body)
    expect(none.body.services).toEqual([])
    expect(await changesOf(consumerId)).toEqual([
      {
        action: 'consumer.services-set',
        detail: { services: ['vehicle-enquiry', 'driver-find'], before: ['print-request'] },
      },
      {
        action: 'consumer.services-set',
        detail: { services: [], before: ['vehicle-enquiry', 'driver-find'] },
      },
    ])
  })
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
      { action: 'consumer.usage-plan-set', detail: { usagePlan: 'bulk', before: 'standard' } },
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
      { action: 'consumer.networks-set', detail: { networks: kept, before: [] } },
      { action: 'consumer.networks-set', detail: { networks: [], before: kept } },
    ])
  })

  test('400: names the malformed network, and accepts at most 50', async () => {
    const path = `/consumers/${administration.ids.consumer}/networks`
    const put = (networks: readonly string[]) => administration.asAdmin('PUT', path, { networks })
    const many = Array.from({ length: 51 }, (_, index) => `203.0.113.${index}/32`)

    expect(await put(['203.0.113.0/24', '203.0.113.7/24'])).toMatchObject(
      aProblem(400, { code: 'InvalidFormat', title: 'networks[1]' }),
    )
    expect(await put(many)).toMatchObject(aProblem(400, { code: 'Size', title: 'networks' }))
    expect((await put(many.slice(1))).status).toBe(200)
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
      {
        action: 'consumer.roles-set',
        detail: { roles: ['provider'], before: ['consumer'], providerId: 'north' },
      },
      { action: 'consumer.roles-set', detail: { roles: ['consumer'], before: ['provider'] } },
    ])
  })

  test('400: the provider is unknown', async () => {
    const path = `/consumers/${administration.ids.consumer}/roles`

    expect(await administration.asAdmin('PUT', path, { roles: ['provider'] })).toMatchObject(
      aProblem(400, { title: 'providerId' }),
    )
  })

  test('409: admins cannot remove their own admin role, but can add roles', async () => {
    const path = `/consumers/${administration.ids.admin}/roles`

    const less = await administration.asAdmin('PUT', path, { roles: ['operator'] })
    const more = await administration.asAdmin('PUT', path, { roles: ['operator', 'admin'] })

    expect(less).toMatchObject(
      refusal(
        '409 CONFLICT',
        'OwnAccess',
        'Ask another operator to remove your access',
        'Nobody can remove their own access',
      ),
    )
    expect(more).toMatchObject({ status: 200, body: { roles: ['operator', 'admin'] } })
  })
})
