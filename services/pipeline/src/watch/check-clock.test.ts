import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { expect, test, vi } from 'vitest'
import { watchClock } from './check-clock.ts'

const databaseMs = Date.parse('2026-03-02T09:00:00Z')

function aWatch() {
  const state = { offMs: 0, isAway: false }
  const onChange = vi.fn()
  const registry = createMetrics('pipeline')
  const watch = watchClock({
    pool: {
      query: async () => {
        if (state.isAway) throw new Error('away')
        return { rows: [{ ms: databaseMs }] }
      },
    } as never,
    now: () => new Date(databaseMs + state.offMs),
    onChange,
    log: createLogger({ service: 'pipeline', level: 'silent' }),
    registry,
  })
  return { watch, state, onChange, registry }
}

test.each([0, 7_500, -7_500])('accepts a clock that is %i ms off', async (offMs) => {
  const { watch, state, onChange } = aWatch()
  state.offMs = offMs

  expect(await watch.look()).toEqual({ name: 'clock', ok: true })
  expect([watch.isRight(), onChange.mock.calls.length]).toEqual([true, 0])
})

test.each([7_501, 60_000, -60_000])('refuses a clock that is %i ms off', async (offMs) => {
  const { watch, state, onChange, registry } = aWatch()
  state.offMs = offMs

  expect(await watch.look()).toMatchObject({ name: 'clock', ok: false })
  expect([watch.isRight(), onChange.mock.calls.length]).toEqual([false, 1])
  const { values } = await registry.getSingleMetric('clock_skew_seconds')!.get()
  expect(values[0]!.value).toBe(offMs / 1000)
})

test('a refused clock stays refused while the database is unavailable, and until the clock is right', async () => {
  const { watch, state, onChange } = aWatch()
  state.offMs = 60_000
  await watch.look()

  Object.assign(state, { offMs: 0, isAway: true })
  expect(await watch.look()).toMatchObject({ ok: false })
  expect(watch.isRight()).toBe(false)

  state.isAway = false
  expect(await watch.look()).toMatchObject({ ok: true })
  expect([watch.isRight(), onChange.mock.calls.length]).toEqual([true, 2])
})
