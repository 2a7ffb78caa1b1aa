import { scenarioApis, scenarioSchema } from '@despatch/contracts/uat/scenario'
import { shared } from '@despatch/testing/shared'
import { listScenarios } from '@despatch/uat-scenarios/list-scenarios'
import { expect, test } from 'vitest'
import { startUat } from './a-uat-service.ts'

const uat = await shared(startUat())

const get = async (query = '') => {
  const answer = await uat.api.inject({ method: 'GET', url: `/uat/scenarios${query}` })
  return { status: answer.statusCode, body: answer.json() }
}

test('lists every scenario of every interface without credentials', async () => {
  const { status, body } = await get()

  expect(status).toBe(200)
  expect(body).toEqual({ scenarios: listScenarios() })
  expect(body.scenarios).toEqual(
    body.scenarios.map((scenario: unknown) => scenarioSchema.parse(scenario)),
  )
})

test.each(scenarioApis)('lists only the scenarios of %s', async (api) => {
  const { status, body } = await get(`?api=${api}`)

  expect(status).toBe(200)
  expect(body.scenarios.length).toBeGreaterThan(5)
  expect(new Set(body.scenarios.map((scenario: { api: string }) => scenario.api))).toEqual(
    new Set([api]),
  )
})

test('is ready while its database answers', async () => {
  expect(await uat.ready()).toEqual([{ name: 'database', ok: true }])
})
