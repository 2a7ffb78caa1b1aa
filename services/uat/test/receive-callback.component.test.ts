import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { startUat } from './a-uat-service.ts'

const uat = await shared(startUat({ slowMs: 50 }))

const callback = { id: 'b7', data: { jobId: 'job-of-somebody', jobStatus: 'DESPATCHED' } }

const post = async (behaviour: string, to = uat) => {
  const { statusCode, headers, body } = await to.api.inject({
    method: 'POST',
    url: `/uat/receiver/${behaviour}`,
    headers: { 'content-type': 'application/json', authorization: 'Bearer secret-of-consumer' },
    body: JSON.stringify(callback),
  })
  return {
    status: statusCode,
    body,
    retryAfter: headers['retry-after'],
    location: headers.location,
  }
}

test.each([
  ['204', { status: 204 }],
  ['400', { status: 400 }],
  ['410', { status: 410 }],
  ['429', { status: 429, retryAfter: '10' }],
  ['500', { status: 500 }],
  ['redirect', { status: 307, location: '/uat/receiver/204' }],
  ['slow', { status: 204 }],
])('the receiver %s answers %o', async (behaviour, answer) => {
  const nothing = { body: '', retryAfter: undefined, location: undefined }

  expect(await post(behaviour)).toEqual({ ...nothing, ...answer })
})

test('the receiver slow answers after a delay', async () => {
  const startedAt = performance.now()
  await post('slow')

  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(49)
})

test('a pending slow answer does not prevent closing', async () => {
  const slow = await startUat({ slowMs: 600_000 })
  onTestFinished(() => slow.stop())
  const answer = post('slow', slow)
  // once a second request is answered, the server has accepted the first
  await post('204', slow)

  await slow.closeService()

  expect((await answer).status).toBe(503)
})

test('the number of concurrent slow responses is limited', async () => {
  const slow = await startUat({ slowMs: 600_000 })
  onTestFinished(() => slow.stop())
  const statuses: number[] = []
  const answers = Array.from({ length: 101 }, async () => {
    statuses.push((await post('slow', slow)).status)
  })
  await eventually(() => statuses.length === 1, { message: 'one callback is refused' })

  expect(statuses).toEqual([503])
  await slow.closeService()
  await Promise.all(answers)
})

test('no content of a callback is logged', async () => {
  await post('500')

  expect(uat.lines.length).toBeGreaterThan(0)
  expect(uat.lines.join()).not.toMatch(/job-of-somebody|secret-of-consumer/)
})
