import { expect, test } from 'vitest'
import { Counter, createMetrics, renderMetrics } from './metrics.ts'

test('keeps the same metric of two services apart, in one text', async () => {
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

test('adds the figures of the process only when asked', async () => {
  const registry = createMetrics('intake', { process: true })

  expect(await registry.metrics()).toContain('process_resident_memory_bytes{service="intake"}')
  expect(await createMetrics('callbacks').metrics()).toBe('\n')
})
