import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { groupMetrics } from './prometheus.ts'

const documented = resolve(import.meta.dirname, '../../../../docs/metrics.md')

const metric = (name: string) => ({
  name,
  help: '',
  type: 'gauge',
  samples: [{ labels: '', value: 1 }],
})

test('metrics are grouped by what they are about, unknown ones last', () => {
  const names = ['new_kind_total', 'process_open_fds', 'callbacks_due', 'print_runs', 'print_jobs']

  expect(
    groupMetrics(names.map(metric)).map(({ group, metrics }) => [
      group,
      metrics.map(({ name }) => name),
    ]),
  ).toEqual([
    ['Print runs', ['print_runs']],
    ['Letters', ['print_jobs']],
    ['Callbacks', ['callbacks_due']],
    ['Process', ['process_open_fds']],
    ['Others', ['new_kind_total']],
  ])
})

test('each documented metric has a group', async () => {
  const lines = (await readFile(documented, 'utf8')).matchAll(/^- `([a-z_]+)`/gm)
  const metrics = [...lines].map(([, name]) => metric(name!))

  const others = groupMetrics(metrics).find(({ group }) => group === 'Others')
  expect(metrics.length).toBeGreaterThan(50)
  expect(others?.metrics.map(({ name }) => name) ?? []).toEqual([])
})
