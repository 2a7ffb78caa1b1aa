import type { Fetch } from '@despatch/provider-simulator/floor/losing-replies'
import { describe, expect, test, vi } from 'vitest'
import { allCases } from '../../src/conformance/all-cases.ts'
import { type BrokenClient, brokenClients } from './broken-clients.ts'
import { resultOf, resultsOf, type Trial, tryOut } from './try-out.ts'

// The trials run concurrently, because both sides mostly wait.
vi.setConfig({ maxConcurrency: 50 })

const caseIds = allCases.map(({ id }) => id)
const allPass = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, 'PASS']))
const testTimeoutMs = 400_000
/** Spoils some documents, so that every case has reprints. */
const floor = { spoilRate: 0.3 }
/** Cases that wait for a second or two, which adds nothing for clients that pass them. */
const slowCases = new Set(['C03', 'C09'])
/** Their clients do nothing wrong. They leave something undone, and the case waits for it until the end of its time. */
const idleCases = new Set(['C04', 'C15'])

type Play = { caseId: string; faults: readonly Pick<BrokenClient, 'wrap'>[] }

/** Plays cases one after the other with a client that has other faults in each, and returns their results. */
async function play(plays: readonly Play[], pace: Trial['pace'] = {}): Promise<string[]> {
  const upcoming = [...plays]
  let network: Fetch
  let faulty: Fetch
  const { played } = await tryOut({
    caseIds: plays.map(({ caseId }) => caseId),
    floor,
    pace,
    wrap: (fetch) => {
      network = fetch
      faulty = fetch
      return (input, init) => faulty(input, init)
    },
    onCase: () => {
      const { faults } = upcoming.shift()!
      faulty = faults.reduce((fetch, { wrap }) => wrap(fetch), network)
    },
  })
  return played.map(resultOf)
}

test.concurrent('the simulator passes every case', { timeout: testTimeoutMs }, async () => {
  const outcome = await tryOut({ floor })

  expect(resultsOf(outcome)).toEqual(allPass(caseIds))
})

describe.concurrent('a client that', () => {
  const alone = (clients: readonly BrokenClient[]) =>
    clients.map((client) => ({ caseId: client.fails, faults: [client] }))
  const [idle, wrong] = [true, false].map((isIdle) =>
    brokenClients.filter(({ fails }) => idleCases.has(fails) === isIdle),
  ) as [BrokenClient[], BrokenClient[]]
  const results = once(async () => {
    const [first, second] = await Promise.all([
      play(alone(idle), { timeoutSeconds: 5 }),
      play(alone(wrong), { timeoutSeconds: 40 }),
    ])
    return new Map([...idle, ...wrong].map((client, at) => [client, [...first, ...second][at]]))
  })

  test.each(brokenClients)('$fault fails $fails', { timeout: testTimeoutMs }, async (client) => {
    const result = (await results()).get(client)
    expect(result).toMatch(/^FAIL: /)
    expect(result).toContain(client.because)
  })
})

describe.concurrent('a client with all faults that concern other cases', () => {
  const played = caseIds.filter((id) => !slowCases.has(id))
  const results = once(() =>
    play(
      played.map((caseId) => ({
        caseId,
        faults: brokenClients.filter(({ fails }) => fails !== caseId),
      })),
      { timeoutSeconds: 40 },
    ),
  )

  test.each(played.map((id, at) => ({ id, at })))(
    'passes $id',
    { timeout: testTimeoutMs },
    async ({ at }) => expect((await results())[at]).toBe('PASS'),
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

/** Does the work at the first call, and returns its result at every call. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}
