import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, test } from 'vitest'
import { countSweepFindings, registerLoopMetrics } from './loop-metrics.ts'

const now = new Date('2026-11-20T09:00:00Z')

async function samplesOf(registry: ReturnType<typeof createMetrics>) {
  return (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line))
}

test('reports the time since the last successful pass of each loop', async () => {
  const registry = createMetrics('pipeline')
  const passed = (secondsAgo: number) => ({
    lastPassAt: () => new Date(now.getTime() - secondsAgo * 1000),
    nudge: () => {},
    close: async () => {},
  })
  registerLoopMetrics(registry, { relay: passed(0.5), sweep: passed(300) }, () => now)

  expect(await samplesOf(registry)).toEqual([
    'loop_pass_age_seconds{loop="relay",service="pipeline"} 0.5',
    'loop_pass_age_seconds{loop="sweep",service="pipeline"} 300',
  ])
})

test('adds up what the sweep finds, from nothing', async () => {
  const registry = createMetrics('pipeline')
  const found = countSweepFindings(registry)
  found('step', 3)
  found('step', 0)
  found('step', 2)

  expect(await samplesOf(registry)).toEqual([
    'sweep_findings_total{what="step",service="pipeline"} 5',
    'sweep_findings_total{what="upload",service="pipeline"} 0',
  ])
})
