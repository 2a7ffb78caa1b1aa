import { expect, test } from 'vitest'
import { paths, readText } from './tree.ts'

const folder = 'infra/observability/prometheus'
const rules = readText(`${folder}/rules/despatch.yml`)
const alerts = rules
  .split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: text.split('\n', 1)[0]!, text }))
const ruleTests = paths.filter((path) => path.startsWith(`${folder}/tests/`))
/** The runbook of each alert: a section of a page. */
const runbooks = new Map(
  paths
    .filter((path) => /^docs\/runbooks\/(?!README).*\.md$/.test(path))
    .flatMap((path) => {
      const sections = readText(path).split(/^## /m).slice(1)
      return sections.map((text) => [text.split('\n', 1)[0]!, { path, text }] as const)
    }),
)

test.each(alerts)(
  'the alert $name has its severity, duration, summary, console page and runbook',
  (alert) => {
    expect(alert.text).toMatch(/^ +for: \d+[mhd]$/m)
    expect(alert.text).toMatch(/^ +severity: (critical|warning|info)$/m)
    expect(alert.text).toMatch(/^ +summary: ".{30,}"$/m)
    expect(alert.text).toMatch(/^ +console_path: \/\S*$/m)
    expect(alert.text).toContain(`runbook_url: ${addressOf(alert.name)}\n`)
  },
)

test.each(alerts)('the console page of $name exists', ({ text }) => {
  const [, path] = /console_path: ([^?\s]+)/.exec(text) ?? []
  const pages = readText('services/ops-console/src/pages/page.ts').matchAll(/\bpath: '([^']+)'/g)

  expect([...pages].map(([, known]) => known)).toContain(path)
})

test('every alert has a runbook, and every runbook an alert', () => {
  expect([...runbooks.keys()].sort()).toEqual(alerts.map(({ name }) => name).sort())
})

test.each(alerts)(
  'the runbook of $name has its severity and its console page',
  ({ name, text }) => {
    const runbook = runbooks.get(name)!.text
    const severity = /severity: (\w+)/.exec(text)?.[1]
    const wait = /for: (\w+)/.exec(text)?.[1]
    const console = /console_path: (\S+)/.exec(text)?.[1]

    expect(runbook).toContain(`Alert \`${name}\`, ${severity}, after ${wait}.`)
    expect(runbook).toContain(`\`${console}\``)
    expect(readText('docs/runbooks/README.md')).toContain(`(${addressOf(name).split('/').at(-1)})`)
  },
)

test.each(alerts)(
  'the rule of $name has a test in which it fires, and one in which it does not',
  ({ name }) => {
    const cases = ruleTests
      .map(readText)
      .flatMap((text) => text.split(/^ {2}- name: /m).slice(1))
      .filter((text) => new RegExp(`^ +alertname: ${name}$`, 'm').test(text))

    expect(cases.some((text) => text.includes('exp_labels:'))).toBe(true)
    expect(cases.some((text) => text.includes('exp_alerts: []'))).toBe(true)
  },
)

function addressOf(alert: string): string {
  return `${runbooks.get(alert)?.path}#${alert.toLowerCase()}`
}
