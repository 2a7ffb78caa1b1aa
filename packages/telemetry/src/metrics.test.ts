import perfHooks from 'node:perf_hooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Counter, createMetrics, processMetrics, renderMetrics } from './metrics.ts'

test('separates the same metric of two services, in one text', async () => {
  const intake = createMetrics('intake')
  const callbacks = createMetrics('callbacks')
  for (const [registry, count] of [
    [intake, 2],
    [callbacks, 5],
  ] as const) {
    new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(count)
  }

  expect(await renderMetrics([intake, callbacks])).toBe(
    [
      '# HELP things_total Things',
      '# TYPE things_total counter',
      'things_total{service="intake"} 2',
      'things_total{service="callbacks"} 5',
      '',
    ].join('\n'),
  )
})

test('the metrics of the process are separate from those of its services, and are collected once', async () => {
  expect(await createMetrics('callbacks').metrics()).toBe('\n')
  expect(await processMetrics().metrics()).toMatch(/^process_resident_memory_bytes \d+/m)
  expect(await processMetrics().metrics()).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  expect(processMetrics()).toBe(processMetrics())
})

test('measures the delay of the event loop only ten times a second, because that wakes the process', async () => {
  const monitor = vi.spyOn(perfHooks, 'monitorEventLoopDelay')
  onTestFinished(() => monitor.mockRestore())
  // other tests of this process may have made its registry
  const anotherInstance = './metrics.ts?another'

  const metrics: typeof import('./metrics.ts') = await import(anotherInstance)
  metrics.processMetrics()

  expect(monitor.mock.calls).toEqual([[{ resolution: 100 }]])
})
