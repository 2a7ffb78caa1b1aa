import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, test } from 'vitest'
import { countSweepFindings } from './loop-metrics.ts'

async function samplesOf(registry: ReturnType<typeof createMetrics>) {
  return (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line))
}

test('adds up the findings of the sweep, starting from zero', async () => {
  const registry = createMetrics('pipeline')
  const found = countSweepFindings(registry)
  found('step', 3)
  found('step', 0)
  found('step', 2)

  expect(await samplesOf(registry)).toEqual([
    'sweep_findings_total{what="step",service="pipeline"} 5',
    'sweep_findings_total{what="upload",service="pipeline"} 0',
    'sweep_findings_total{what="oversized-upload",service="pipeline"} 0',
    'sweep_findings_total{what="orphaned-upload",service="pipeline"} 0',
  ])
})
