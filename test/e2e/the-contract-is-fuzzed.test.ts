import { cloneDatabase } from '@despatch/testing/clone-database'
import { expect, inject, test } from 'vitest'
import { fuzzEnvironment } from '../fuzz/contract/fuzz-environment.ts'
import { renderReport } from '../fuzz/contract/render-report.ts'
import { isSound, runContractFuzz } from '../fuzz/contract/run-contract-fuzz.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'
import { makeDirectory, startDespatch } from '../stack/start-despatch.ts'

const seed = 1
const requests = 1_000
const operationsMin = 130
/** Longer than the test takes alone: other suites run at the same time. */
const timeoutMs = 300_000

test('every answer to made-up requests is as its document says', {
  timeout: timeoutMs,
}, async () => {
  await using parts = new AsyncDisposableStack()
  const database = await cloneDatabase()
  parts.defer(() => database.drop())
  await liftUsagePlans(database.url)
  const directory = parts.use(await makeDirectory())
  const { objectStore } = inject('infra')
  const despatch = parts.use(
    await startDespatch(directory.path, {
      DATABASE_URL: database.url,
      S3_ENDPOINT: objectStore.endpoint,
      S3_REGION: objectStore.region,
      S3_BUCKET: objectStore.bucket,
      S3_ACCESS_KEY_ID: objectStore.accessKeyId,
      S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
      ...fuzzEnvironment,
    }),
  )

  const report = await runContractFuzz(despatch, {
    seed,
    requests,
    concurrency: 8,
    restore: () => liftUsagePlans(database.url),
  })

  expect(isSound(report), renderReport(report, seed)).toBe(true)
  expect(Object.keys(report.counts).length).toBeGreaterThan(operationsMin)
  // most requests must pass authentication, otherwise little is tested
  const statuses = Object.values(report.counts).flatMap((counts) => Object.entries(counts))
  const refused = statuses.filter(([status]) => status === '401').map(([, count]) => count)
  expect(refused.reduce((sum, count) => sum + count, 0)).toBeLessThan(requests / 5)
})
