import { expect, test } from 'vitest'
import { fuzzEnvironment } from '../fuzz/contract/fuzz-environment.ts'
import { renderReport } from '../fuzz/contract/render-report.ts'
import { isSound, runContractFuzz } from '../fuzz/contract/run-contract-fuzz.ts'
import { aDespatch } from '../stack/a-despatch.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'

const seed = 1
const requests = 1_000
const operationsMin = 130
/** Longer than the test takes alone: other suites run at the same time. */
const timeoutMs = 300_000

test('every answer to a generated request conforms to its document', {
  timeout: timeoutMs,
}, async () => {
  await using despatch = await aDespatch(fuzzEnvironment, { prepare: liftUsagePlans })

  const report = await runContractFuzz(despatch, {
    seed,
    requests,
    concurrency: 8,
    restore: () => liftUsagePlans(despatch.databaseUrl),
  })

  expect(isSound(report), renderReport(report, seed)).toBe(true)
  expect(Object.keys(report.counts).length).toBeGreaterThan(operationsMin)
  // most requests must pass authentication, otherwise little is tested
  const statuses = Object.values(report.counts).flatMap((counts) => Object.entries(counts))
  const refused = statuses.filter(([status]) => status === '401').map(([, count]) => count)
  expect(refused.reduce((sum, count) => sum + count, 0)).toBeLessThan(requests / 5)
})
