import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, test } from 'vitest'
import { watchLoops } from './loops.ts'

const now = new Date()
const passed = (secondsAgo: number) => ({
  lastPassAt: () => new Date(now.getTime() - secondsAgo * 1000),
  nudge: () => {},
  close: async () => {},
})

function someLoops() {
  const registry = createMetrics('pipeline')
  return { registry, loops: watchLoops(registry, () => now) }
}

test('reports the time since the last successful pass of each loop with frequent passes', async () => {
  const { registry, loops } = someLoops()
  loops.watch('relay', 250, passed(0.5))
  loops.watch('sweep', 10_000, passed(300))
  loops.watch('purge', 3_600_000, passed(3_000), { isRare: true })

  const lines = (await registry.metrics()).split('\n')
  expect(lines.filter((line) => /^[a-z]/.test(line))).toEqual([
    'loop_pass_age_seconds{loop="relay",service="pipeline"} 0.5',
    'loop_pass_age_seconds{loop="sweep",service="pipeline"} 300',
  ])
})

test('a loop fails its check after ten intervals without a successful pass, but not before 30 s', () => {
  const { loops } = someLoops()
  loops.watch('quick', 250, passed(20))
  loops.watch('late', 10_000, passed(110))
  loops.watch('purge', 3_600_000, passed(3_000), { isRare: true })

  expect(loops.checks()).toEqual([
    { name: 'quick', ok: true },
    { name: 'late', ok: false, reason: 'no successful pass for 110 s' },
    { name: 'purge', ok: true },
  ])
})

test('has all parts, watched or not', () => {
  const { loops } = someLoops()
  const [relay, consumer] = [passed(1), passed(2)]
  loops.watch('relay', 250, relay)
  loops.add(consumer)

  expect(loops.parts).toEqual([relay, consumer])
})
