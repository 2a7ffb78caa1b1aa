import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest, type TestCaller } from './a-print-request.ts'

const keptSeconds = 3_600
const service = await shared(
  aPrintRequest({
    DESPATCH_OPEN_UPLOADS_MAX: '2',
    DESPATCH_UPLOAD_KEPT_SECONDS: String(keptSeconds),
  }),
)

const ask = (by: TestCaller) => by.call({ path: 'files/upload-url' })

test('429: a consumer has too many open uploads, until it uses one; other consumers are not affected', async () => {
  const consumer = await service.aCaller()
  const first = await ask(consumer)
  await ask(consumer)

  const refused = await ask(consumer)

  expect(refused).toMatchObject(
    aProblem(429, {
      code: 'TooManyRequests',
      detail:
        'You have 2 uploads that are in no print job, which is the limit. Use them, or wait until they expire.',
    }),
  )
  const retryAfter = Number(refused.headers['retry-after'])
  expect(retryAfter).toBeGreaterThan(keptSeconds - 600)
  expect(retryAfter).toBeLessThanOrEqual(keptSeconds)
  expect((await ask(await service.aCaller())).status).toBe(200)

  const { uploadId, url } = first.body as { uploadId: string; url: string }
  await fetch(url, { method: 'PUT', body: Buffer.from(aPng, 'base64') })
  const fileParams = [{ fileId: 'scan', uploadId }]
  await consumer.call({ method: 'POST', path: 'jobs', body: aRequest({ fileParams }) })

  expect((await ask(consumer)).status).toBe(200)
})
