import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import { type ObservedPool, registerPoolMetrics } from './pool-metrics.ts'

const rows: [
  what: string,
  pool: Omit<ObservedPool, 'options'>,
  told: [busy: number, idle: number, waiting: number],
][] = [
  ['some at work', { totalCount: 5, idleCount: 2, waitingCount: 0 }, [3, 2, 0]],
  ['all at work', { totalCount: 6, idleCount: 0, waitingCount: 7 }, [6, 0, 7]],
  [
    'work that is about to get a free one',
    { totalCount: 6, idleCount: 1, waitingCount: 1 },
    [5, 1, 0],
  ],
  ['work for which one is made', { totalCount: 0, idleCount: 0, waitingCount: 1 }, [0, 0, 0]],
]

test.each(rows)(
  'counts the connections of a pool: %s',
  async (_what, pool, [busy, idle, waiting]) => {
    const registry = createMetrics('intake')
    registerPoolMetrics(registry, { ...pool, options: { max: 6 } })

    const samples = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'))

    expect(samples.filter(Boolean)).toEqual([
      `database_connections{state="busy",service="intake"} ${busy}`,
      `database_connections{state="idle",service="intake"} ${idle}`,
      `database_connections{state="waiting",service="intake"} ${waiting}`,
    ])
  },
)
