import { listUsageOfDay } from '@despatch/store/access/usage-of-day'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPrintRequest, aRequest } from './a-print-request.ts'

const dayMs = 24 * 60 * 60 * 1000

// more concurrent requests than a process accepts by default
const service = await shared(aPrintRequest({ DESPATCH_REQUESTS_IN_FLIGHT_MAX: '1000' }))
await service.database.db
  .insertInto('usage_plan')
  .values([
    {
      name: 'two-a-day',
      service: 'print-request',
      requests_per_second: 100,
      burst: 0,
      requests_per_day: 2,
    },
    {
      name: 'a-megabyte',
      service: 'print-request',
      requests_per_second: 100,
      burst: 0,
      bytes_per_day: 1_048_576,
    },
  ])
  .execute()

async function aCallerOn(plan: string) {
  const caller = await service.aCaller()
  await service.database.db
    .updateTable('consumer')
    .set({ usage_plan: plan })
    .where('id', '=', caller.consumerId)
    .execute()
  return caller
}

const secondsToMidnight = () => Math.ceil((dayMs - (Date.now() % dayMs)) / 1000)

test('200: returns the remaining quota with every response; 429: the quota is exceeded', async () => {
  const caller = await aCallerOn('two-a-day')
  const submit = () => caller.call({ method: 'POST', path: 'jobs', body: aRequest() })

  const first = await submit()
  const unknown = await caller.call({ path: 'jobs/unknown' })
  const latest = secondsToMidnight()
  const refused = await submit()
  const earliest = secondsToMidnight()

  expect([first.status, unknown.status, refused.status]).toEqual([202, 404, 429])
  expect(first.headers).toMatchObject({
    'ratelimit-policy': '"second";q=100;w=1, "day";q=2;w=86400',
    ratelimit: expect.stringMatching(/^"second";r=99;t=1, "day";r=1;t=\d+$/),
  })
  expect(unknown.headers.ratelimit).toMatch(/, "day";r=0;t=\d+$/)
  expect(refused.body).toEqual({
    errors: [
      {
        status: '429 TOO_MANY_REQUESTS',
        code: 'TooManyRequests',
        title: 'Too Many Requests',
        detail: 'Too many requests: the limit is 2 per day (UTC)',
      },
    ],
  })
  const retryAfter = Number(refused.headers['retry-after'])
  expect(retryAfter).toBeLessThanOrEqual(latest)
  expect(retryAfter).toBeGreaterThanOrEqual(earliest)
  expect(refused.headers).toMatchObject({
    'ratelimit-policy': '"second";q=100;w=1, "day";q=2;w=86400',
    ratelimit: `"day";r=0;t=${retryAfter}`,
  })
})

test('a new consumer has the standard plan: 100 requests a second and a burst of 200', async () => {
  const caller = await service.aCaller()
  const another = await service.aCaller()
  const startedAt = Date.now()

  const answers = await Promise.all(
    Array.from({ length: 600 }, () => caller.call({ path: 'jobs/unknown' })),
  )

  const begun = (lengthMs: number) =>
    Math.floor(Date.now() / lengthMs) - Math.floor(startedAt / lengthMs) + 1
  const allowed = 100 * begun(1_000) + 200 * begun(60_000)
  const passed = answers.filter(({ status }) => status === 404).length
  const refused = answers.filter(({ status }) => status === 429)
  expect(passed + refused.length).toBe(600)
  expect(passed).toBeGreaterThanOrEqual(300)
  expect(passed).toBeLessThanOrEqual(allowed)
  expect(refused.map(({ headers }) => headers['retry-after'])).toEqual(refused.map(() => '1'))
  expect((await another.call({ path: 'jobs/unknown' })).status).toBe(404)
})

test('429: the bodies of the day exceed the bytes of the plan; requests without a body are still accepted', async () => {
  const caller = await aCallerOn('a-megabyte')
  const customParams = [{ key: 'note', value: 'x'.repeat(600_000) }]
  const payload = JSON.stringify(aRequest({ customParams }))
  const submit = () =>
    caller.call({
      method: 'POST',
      path: 'jobs',
      body: payload,
      headers: { 'content-length': String(payload.length) },
    })

  const first = await submit()
  const second = await submit()
  const refused = await submit()

  expect([first.status, second.status, refused.status]).toEqual([202, 202, 429])
  expect(first.headers['ratelimit-policy']).toBe(
    '"second";q=100;w=1, "bytes";q=1048576;qu="content-bytes";w=86400',
  )
  expect(refused.body).toMatchObject({
    errors: [
      { detail: 'Too many requests: the limit is 1024 KiB of request bodies per day (UTC)' },
    ],
  })
  expect((await caller.call({ path: 'jobs/unknown' })).status).toBe(404)
})

test('counts the requests of a consumer whose plan has no daily limit', async () => {
  const caller = await service.aCaller()
  const days = [Date.now(), Date.now() + 60_000].map((atMs) => Math.floor(atMs / dayMs))
  await caller.call({ path: 'jobs/unknown' })

  const usage = await eventually(
    async () => {
      const { consumerId } = caller
      const found = days.map((day) => listUsageOfDay(service.database.db, { consumerId, day }))
      return (await Promise.all(found)).map((of) => of.get('print-request')).find(Boolean)
    },
    { message: 'the request is counted' },
  )

  expect(usage).toMatchObject({ requests: 1, refused: 0, peakPerSecond: 1 })
})
