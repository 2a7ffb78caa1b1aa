import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, test } from 'vitest'
import { watchLoops } from './loops.ts'

const now = new Date()
const passed = (name: string, everyMs: number, secondsAgo: number) => ({
  name,
  everyMs,
  lastPassAt: () => new Date(now.getTime() - secondsAgo * 1000),
})

function someLoops() {
  const registry = createMetrics('pipeline')
  return { registry, loops: watchLoops(registry, () => now) }
}

test('reports the time since the last successful pass of each loop with frequent passes', async () => {
  const { registry, loops } = someLoops()
  loops.watch(passed('relay', 250, 0.5))
  loops.watch(passed('sweep', 10_000, 300))
  loops.watch(passed('purge', 3_600_000, 3_000))

  const lines = (await registry.metrics()).split('\n')
  expect(lines.filter((line) => /^[a-z]/.test(line))).toEqual([
    'loop_pass_age_seconds{loop="relay",service="pipeline"} 0.5',
    'loop_pass_age_seconds{loop="sweep",service="pipeline"} 300',
  ])
})

test('a loop fails its check after ten intervals without a successful pass, but not before 30 s', () => {
  const { loops } = someLoops()
  loops.watch(passed('quick', 250, 20))
  loops.watch(passed('late', 10_000, 110))
  loops.watch(passed('purge', 3_600_000, 3_000))

  expect(loops.checks()).toEqual([
    { name: 'quick', ok: true },
    { name: 'late', ok: false, reason: 'no successful pass for 110 s' },
    { name: 'purge', ok: true },
  ])
})
