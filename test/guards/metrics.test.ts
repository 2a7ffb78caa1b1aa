import { processMetrics } from '@despatch/telemetry/metrics'
import { readDocumentedMetrics } from '@despatch/testing/documented-metrics'
import { expect, test } from 'vitest'
import { selectedBy } from './prometheus.ts'
import { paths, programs, readText } from './tree.ts'

const documented = readDocumentedMetrics()
const byName = Map.groupBy(documented, ({ name }) => name)
const ofServices = documented.filter(({ services }) => services.length > 0)
const ofProcess = documented.filter(({ services }) => services.length === 0)

/** Every metric is declared in the same way: its name, then its help, as plain string literals. */
const made = programs
  .filter(({ path }) => /^(packages|services|infra)\//.test(path))
  .flatMap(({ text }) => [
    ...text.matchAll(/name: '(\w+)',\s*help:\s*'([^']*)',(?:\s*labelNames: \[([^\]]*)\])?/g),
  ])
  .map(([, name, help, labels]) => ({ name: name!, help: help!, labels }))

test('docs/metrics.md has exactly the metrics of the code, with their descriptions', () => {
  const lines = (metrics: readonly { name: string; help: string }[]) =>
    metrics.map(({ name, help }) => `${name}: ${help}`).sort()

  expect(lines(ofServices)).toEqual(lines(made))
})

test('docs/metrics.md has the labels of each metric', () => {
  const wrong = made
    .filter(({ labels }) => labels !== undefined)
    .map(({ name, help, labels }) => ({
      name,
      made: [...labels!.matchAll(/'(\w+)'/g)].map(([, label]) => label),
      told: byName.get(name)?.find((metric) => metric.help === help)?.labels,
    }))
    .filter((labels) => JSON.stringify(labels.made) !== JSON.stringify(labels.told))

  expect(wrong).toEqual([])
})

test('docs/metrics.md has the metrics of a process', async () => {
  const told = (await processMetrics().getMetricsAsJSON()).map(
    ({ name, type, help }) => `${name} ${type}: ${help}`,
  )

  // Some metrics exist only on some operating systems.
  const lines = ofProcess.map(({ name, kind, help }) => `${name} ${kind}: ${help}`)
  expect(told.filter((line) => !lines.includes(line))).toEqual([])
})

const dashboards = paths.filter((path) => /^infra\/observability\/grafana\/.*\.json$/.test(path))

test.each(dashboards)('%s uses only existing metrics and labels', (path) => {
  const { panels } = JSON.parse(readText(path)) as { panels: Panel[] }
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

  expect(expressions.length).toBeGreaterThan(5)
  expect(expressions.flatMap(findUnknown)).toEqual([])
})

test('every rule uses only existing metrics and labels', () => {
  const rules = readText('infra/observability/prometheus/rules/despatch.yml')
  const expressions = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expression]) =>
    expression!.startsWith('"') ? (JSON.parse(expression!) as string) : expression!,
  )

  expect(expressions.length).toBeGreaterThan(20)
  expect(expressions.flatMap(findUnknown)).toEqual([])
})

test('finds the metrics of an expression', () => {
  expect(
    selectedBy('sum by (le) (rate(a_bucket{x="b",y=~"c|d"}[5m])) / on() max(e) > 0 and absent(up)'),
  ).toEqual([
    { metric: 'a_bucket', labels: ['x', 'y'] },
    { metric: 'e', labels: [] },
    { metric: 'up', labels: [] },
  ])
})

type Panel = { targets: { expr: string }[] }

/** Prometheus itself adds `up`, and the labels that say where a sample comes from. */
function findUnknown(expression: string): string[] {
  return selectedBy(expression)
    .filter(({ metric }) => metric !== 'up')
    .flatMap(({ metric, labels }) => {
      const histogram = byName.get(metric.replace(/_(bucket|count|sum)$/, ''))
      const known =
        byName.get(metric) ?? (histogram?.[0]?.kind === 'histogram' ? histogram : undefined)
      if (!known) return [metric]
      const knownLabels = ['service', 'job', 'instance', ...known.flatMap((one) => one.labels)]
      return labels
        .filter((label) => !knownLabels.includes(label))
        .map((label) => `${metric}{${label}}`)
    })
}
