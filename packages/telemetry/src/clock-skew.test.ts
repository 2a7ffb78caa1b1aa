import { expect, test } from 'vitest'
import { registerClockSkew } from './clock-skew.ts'
import { createMetrics } from './metrics.ts'

const databaseMs = Date.parse('2026-03-02T09:00:00Z')

test('the gauge has the skew at each reading, and keeps the last value while the database is unavailable', async () => {
  const registry = createMetrics('print-request')
  const state = { offMs: 5_000, isAway: false }
  registerClockSkew(registry, {
    pool: {
      query: async () => {
        if (state.isAway) throw new Error('away')
        return { rows: [{ ms: databaseMs }] }
      },
    },
    now: () => new Date(databaseMs + state.offMs),
  })
  const read = async () =>
    (await registry.getSingleMetric('clock_skew_seconds')!.get()).values[0]!.value

  expect(await read()).toBe(5)
  state.offMs = -2_500
  expect(await read()).toBe(-2.5)
  Object.assign(state, { offMs: 0, isAway: true })
  expect(await read()).toBe(-2.5)
})
