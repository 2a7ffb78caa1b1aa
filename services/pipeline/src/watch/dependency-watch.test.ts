import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { expect, test, vi } from 'vitest'
import { type DependencyWatchOptions, watchDependency } from './dependency-watch.ts'

const refused = Object.assign(new Error('as the driver says'), { code: 'ECONNREFUSED' })
const fault = new DependencyUnavailable('object-store', { cause: refused })

function aWatch() {
  const state = { isAway: false, nowMs: 0 }
  const log = { info: vi.fn(), error: vi.fn() }
  const onChange = vi.fn()
  const watch = watchDependency({
    db: {} as DependencyWatchOptions['db'],
    dependency: 'object-store',
    probe: async () => {
      if (state.isAway) throw fault
    },
    onChange,
    log,
    clock: () => state.nowMs,
  })
  return { watch, state, log, onChange }
}

test('a fault while the dependency is unavailable is not a fault of the letter, and is logged once', async () => {
  const { watch, state, log, onChange } = aWatch()
  state.isAway = true

  for (let time = 0; time < 20; time++) expect(await watch.judge(fault, 'k1')).toBe('away')

  expect(watch.isUp()).toBe(false)
  expect(log.error.mock.calls).toEqual([
    [{ dependency: 'object-store', reason: 'ECONNREFUSED' }, 'dependency.away'],
  ])
  expect(onChange).toHaveBeenCalledTimes(1)
})

test('a fault that a letter repeats counts as the letter’s fault from the third time', async () => {
  const { watch } = aWatch()

  const verdicts = []
  for (let time = 0; time < 4; time++) verdicts.push(await watch.judge(fault, 'k1'))

  expect(verdicts).toEqual(['blip', 'blip', 'letter', 'letter'])
})

test('a success resets the faults of a letter', async () => {
  const { watch } = aWatch()
  await watch.judge(fault, 'k1')
  await watch.judge(fault, 'k1')

  watch.served('k1')

  expect(await watch.judge(fault, 'k1')).toBe('blip')
})

test('faults of several letters in a row are an outage, although probes succeed', async () => {
  const { watch, state } = aWatch()
  for (const key of ['k1', 'k2', 'k3', 'k4']) await watch.judge(fault, key)
  expect(await watch.judge(fault, 'k5')).toBe('away')

  state.nowMs = 9_000
  await watch.look()
  expect(watch.isUp()).toBe(false)
  state.nowMs = 11_000
  await watch.look()

  expect([watch.isUp(), watch.isHalfOpen()]).toEqual([true, true])
})

test('waiting work continues when the dependency is back, or when its wait is aborted', async () => {
  const { watch, state } = aWatch()
  state.isAway = true
  await watch.judge(fault, 'k1')
  const closing = new AbortController()
  const waiting = watch.whenUp(new AbortController().signal)
  const closed = watch.whenUp(closing.signal)

  closing.abort(new Error('closing'))
  await expect(closed).rejects.toThrow('closing')
  state.isAway = false
  state.nowMs = 1_000
  await watch.look()

  await waiting
  expect(watch.isUp()).toBe(true)
})
