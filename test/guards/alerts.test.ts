import { expect, test } from 'vitest'
import { paths, readText } from './tree.ts'

const folder = 'infra/observability/prometheus'
const rules = readText(`${folder}/rules/despatch.yml`)
const alerts = rules
  .split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: text.split('\n', 1)[0]!, text }))
const ruleTests = paths.filter((path) => path.startsWith(`${folder}/tests/`))
const pages = paths
  .filter((path) => /^docs\/runbooks\/.*\.md$/.test(path))
  .filter((path) => path !== 'docs/runbooks/README.md')

test.each(alerts)(
  'the alert $name has its severity, duration, summary, console page and runbook',
  (alert) => {
    expect(alert.text).toMatch(/^ +for: \d+[mhd]$/m)
    expect(alert.text).toMatch(/^ +severity: (critical|warning|info)$/m)
    expect(alert.text).toMatch(/^ +summary: ".{30,}"$/m)
    expect(alert.text).toMatch(/^ +console_path: \/\S*$/m)
    expect(alert.text).toContain(`runbook_url: ${pageOf(alert.name)}`)
  },
)

test.each(alerts)('the console page of $name exists', ({ text }) => {
  const [, path] = /console_path: ([^?\s]+)/.exec(text) ?? []
  const pages = readText('services/ops-console/src/pages/page.ts').matchAll(/\bpath: '([^']+)'/g)

  expect([...pages].map(([, known]) => known)).toContain(path)
})

test('every alert has a runbook, and every runbook an alert', () => {
  expect(pages).toEqual(alerts.map(({ name }) => pageOf(name)).sort())
})

test.each(alerts)(
  'the runbook of $name has its name, its severity and its console page',
  ({ name, text }) => {
    const page = readText(pageOf(name))
    const severity = /severity: (\w+)/.exec(text)?.[1]
    const wait = /for: (\w+)/.exec(text)?.[1]
    const console = /console_path: (\S+)/.exec(text)?.[1]

    expect(page).toContain(`Alert \`${name}\`, ${severity}, after ${wait}.`)
    expect(page).toContain(`\`${console}\``)
    expect(readText('docs/runbooks/README.md')).toMatch(
      new RegExp(`\\]\\(${pageOf(name).split('/').at(-1)}\\) +\\| ${severity} +\\| ${wait} +\\|`),
    )
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

function pageOf(alert: string): string {
  return `docs/runbooks/${alert.replaceAll(/(?<!^)([A-Z])/g, '-$1').toLowerCase()}.md`
}
