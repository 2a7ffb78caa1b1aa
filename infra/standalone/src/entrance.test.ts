import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, onTestFinished, test } from 'vitest'
import { createEntrance, type EntranceOptions } from './entrance.ts'

async function anEntrance(options: Partial<EntranceOptions> = {}) {
  const entrance = await createEntrance({
    log: createLogger({ service: 'gateway', level: 'silent' }),
    metrics: createMetrics('gateway'),
    prefixes: ['/print-request'],
    sourceRequestsPerSecond: 1,
    ...options,
  })
  onTestFinished(() => entrance.close())
  return entrance.api
}

test('answers unknown addresses in the shape of the print interfaces', async () => {
  const api = await anEntrance()

  const answers = await Promise.all(
    (['GET', 'POST'] as const).map((method) => api.inject({ method, url: '/x' })),
  )

  for (const answer of answers) {
    expect([answer.statusCode, answer.json()]).toEqual([
      404,
      { errors: [expect.objectContaining({ status: '404 NOT_FOUND' })] },
    ])
  }
})

test('has no metrics, which are at the operations address', async () => {
  expect((await (await anEntrance()).inject('/metrics')).statusCode).toBe(404)
})

test.each(['/', '/docs', '/docs/js/scalar.js', '/nowhere'])(
  'limits requests for %s for each source address',
  async (url) => {
    const api = await anEntrance()

    const answers = await Promise.all(
      Array.from({ length: 120 }, () => api.inject({ url, headers: { 'if-none-match': '*' } })),
    )

    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(100)
  },
)

test('the reference names the file with the credentials of the demonstration, if there is one', async () => {
  const credentialsPath = '.despatch/credentials.json'
  const textOf = async (options: Partial<EntranceOptions>) =>
    (await (await anEntrance(options)).inject('/docs')).body

  expect(await textOf({ credentialsPath })).toContain(credentialsPath)
  expect(await textOf({})).not.toContain('credentials.json')
})
