import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { type Answer, aPrintRequest, aRequest, type TestCaller } from './a-print-request.ts'

const requestsMax = 20
/** The part of these that one consumer gets while no other sends requests. */
const share = 16
const burst = 100

const service = await shared(
  aPrintRequest({ DESPATCH_REQUESTS_IN_FLIGHT_MAX: String(requestsMax) }),
)
const greedy = await service.aCaller()
const modest = await service.aCaller()

const refusedForNow = {
  status: 503,
  body: {
    errors: [
      {
        status: '503 SERVICE_UNAVAILABLE',
        code: 'ServiceUnavailable',
        detail: 'The service is temporarily unavailable. Retry the request.',
      },
    ],
  },
  retryAfter: expect.stringMatching(/^[2-5]$/),
}

test('refuses requests over its limit while the database delays commits, and completes the accepted ones', async () => {
  const release = await holdCommits()
  const answers: Answer[] = []
  const submit = async (caller: TestCaller, answers: Answer[]) => {
    answers.push(await caller.call({ method: 'POST', path: 'jobs', body: aRequest() }))
  }

  const submitted = Array.from({ length: burst }, () => submit(greedy, answers))
  await eventually(() => answers.length === burst - share, {
    message: 'all but the share of one consumer are answered',
  })
  const shed = answers.splice(0)
  const ofModest: Answer[] = []
  const alsoTaken = submit(modest, ofModest)
  const health = await Promise.all(
    ['/health/live', '/health/ready'].map((path) => service.call({ path })),
  )

  expect(new Set(shed.map(({ status }) => status))).toEqual(new Set([503]))
  const [{ status, headers, body }] = shed as [Answer]
  expect({ status, body, retryAfter: headers['retry-after'] }).toEqual(refusedForNow)
  expect(health.map((each) => each.status)).toEqual([200, 200])
  expect(ofModest).toEqual([])

  await release()
  await Promise.all([...submitted, alsoTaken])
  expect(ofModest.map((each) => each.status)).toEqual([202])
  // The share shrinks by four when another consumer comes, so a request that is not assigned by then may be refused.
  const accepted = answers.filter((each) => each.status === 202).length
  expect(accepted).toBeGreaterThanOrEqual(share - 4)
  expect(await countPrintJobs()).toBe(accepted + 1)
})

/** Allows reads and blocks every commit until it is released. */
async function holdCommits(): Promise<() => Promise<void>> {
  const client = await service.database.pool.connect()
  await client.query('begin')
  await client.query('lock table print_job in share row exclusive mode')
  return async () => {
    await client.query('commit')
    client.release()
  }
}

async function countPrintJobs(): Promise<number> {
  const { rows } = await service.database.pool.query('select count(*)::int as count from print_job')
  return rows[0].count
}
