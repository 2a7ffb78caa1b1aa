import { describe, expect, test, vi } from 'vitest'
import { allCases } from '../../src/conformance/all-cases.ts'
import { brokenClients } from './broken-clients.ts'
import { resultsOf, tryOut } from './try-out.ts'

// The cases run concurrently, because both sides mostly wait.
vi.setConfig({ maxConcurrency: 8 })

const caseIds = allCases.map(({ id }) => id)
const allPass = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, 'PASS']))
const testTimeoutMs = 400_000
/** Spoils some documents, so that every case has reprints. */
const settings = { DESPATCH_SIMULATOR_SPOIL_RATE: '0.3' }
/** Cases that wait for a second or two, which adds nothing for clients that pass them. */
const slowCases = new Set(['C03', 'C09'])
/** How many cases a client plays that fails one of them. Each case is passed by several of these clients. */
const playedMax = 3

test.concurrent('the simulator passes every case', { timeout: testTimeoutMs }, async () => {
  const outcome = await tryOut({ settings })

  expect(resultsOf(outcome)).toEqual(allPass(caseIds))
})

test.concurrent('C12 shows nothing for a factory that spoils nothing', async () => {
  const outcome = await tryOut({ caseIds: ['C12'] })

  expect(resultsOf(outcome)).toEqual({ C12: 'NOT SHOWN: no document was reported as SPOILED' })
})

describe.concurrent('a client that', () => {
  test.each(brokenClients)(
    '$fault fails $fails and nothing else',
    {
      timeout: testTimeoutMs,
    },
    async ({ fails, wrap }) => {
      const first = caseIds.indexOf(fails)
      const played = [...caseIds.slice(first), ...caseIds.slice(0, first)]
        .filter((id) => id === fails || !slowCases.has(id))
        .slice(0, playedMax)

      const outcome = await tryOut({
        caseIds: played,
        settings,
        wrap,
        pace: { timeoutSeconds: 40 },
      })

      const results = resultsOf(outcome)
      expect(results).toEqual({ ...allPass(played), [fails]: expect.stringMatching(/^FAIL: /) })
    },
  )
})

test.concurrent('an API key in an address fails any case', async () => {
  const outcome = await tryOut({
    caseIds: ['C01'],
    wrap: (fetch) => (input, init) => {
      const url = new URL(String(input))
      const headers = new Headers(init?.headers)
      const key = headers.get('x-api-key')
      if (key) url.searchParams.set('key', key)
      return fetch(url, { ...init, headers })
    },
  })

  expect(resultsOf(outcome).C01).toMatch(/^FAIL: .*an address contains the API key/)
})

test.concurrent('polling without a pause is a violation', async () => {
  const outcome = await tryOut({
    caseIds: ['C01'],
    settings: { DESPATCH_PROVIDER_POLL_INTERVAL_MS: '10' },
    pace: { pollsPerSecondMax: 5 },
  })

  expect(resultsOf(outcome).C01).toMatch(/^FAIL: polled \d+ times in one second/)
})
