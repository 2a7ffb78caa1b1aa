import { readFileSync } from 'node:fs'

const page = new URL('../../../docs/metrics.md', import.meta.url)

type DocumentedMetric = {
  name: string
  kind: string
  labels: string[]
  help: string
  /** The services that have it; of a metric of the process as a whole, none. */
  services: string[]
}

/** Reads the lists of docs/metrics.md: each item is `name`, its kind, its labels, and what it means. */
export function readDocumentedMetrics(): DocumentedMetric[] {
  const [services = '', ofProcess = ''] = readFileSync(page, 'utf8').split(
    /^## What each process reports$/m,
  )
  const sections = services.split(/^### /m).slice(1)
  return [
    ...sections.flatMap((section) =>
      readItems(section, section.slice(0, section.indexOf('\n')).split(', ')),
    ),
    ...readItems(ofProcess, []),
  ]
}

function readItems(section: string, services: string[]): DocumentedMetric[] {
  const items = section.match(/^- `\w+`, (?:.+\n)(?: {2}.+\n)*/gm) ?? []
  return items.map((item) => {
    const text = item.replaceAll(/\s+/g, ' ').trim()
    const [, name, kind, labels = '', help] = /^- `(\w+)`, (\w+)(?: by (.*?))?: (.*)$/.exec(text)!
    const named = [...labels.matchAll(/`(\w+)` \(/g)].map(([, label]) => label!)
    return { name: name!, kind: kind!, labels: named, help: help!, services }
  })
}

/** Sections of metrics of many services. Each service that is compared has a database. */
const everyService: ReadonlySet<string> = new Set([
  'every service',
  'every service with a database',
])

/** Compares the metrics that a service exposes with docs/metrics.md. Both lists are empty if they agree. */
export function compareWithDocumentation(
  service: string,
  exposed: string,
  { absent = [] }: { absent?: readonly string[] } = {},
): { undocumented: string[]; missing: string[] } {
  const documented = readDocumentedMetrics()
  const lines = (metrics: readonly DocumentedMetric[]) =>
    metrics.map(({ name, kind, help }) => `${name} ${kind}: ${help}`)
  const ofService = lines(
    documented.filter(({ services }) =>
      services.some((name) => everyService.has(name) || name === service),
    ),
  )
  const ofProcess = lines(documented.filter(({ services }) => services.length === 0))
  const found = readExposed(exposed)
  return {
    undocumented: found.filter((line) => !ofService.includes(line) && !ofProcess.includes(line)),
    missing: ofService
      .filter((line) => !found.includes(line))
      .filter((line) => !absent.includes(line.split(' ', 1)[0]!)),
  }
}

/** Returns `name kind: help` of each metric in Prometheus's text format. */
function readExposed(text: string): string[] {
  const kinds = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, kind]) => [name!, kind!]),
  )
  return [...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(
    ([, name, help]) => `${name} ${kinds.get(name!)}: ${help}`,
  )
}
