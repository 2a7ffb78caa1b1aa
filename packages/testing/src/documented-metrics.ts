import { readFileSync } from 'node:fs'

const page = new URL('../../../docs/metrics.md', import.meta.url)

/** Compares the metrics that a service exposes with docs/metrics.md. Both lists are empty if they agree. */
export function compareWithDocumentation(
  service: string,
  exposed: string,
  { absent = [] }: { absent?: readonly string[] } = {},
): { undocumented: string[]; missing: string[] } {
  const text = readFileSync(page, 'utf8')
  const rows = [...text.matchAll(/^\| `(\w+)` *\|(.*)\|$/gm)].map(([, name, rest]) => ({
    name: name!,
    cells: rest!.split('|').map((cell) => cell.trim()),
  }))
  const ofService = rows
    .filter(({ cells }) => cells.length === 4)
    .filter(({ cells }) => cells[2] === 'every service' || cells[2]!.split(', ').includes(service))
    .map(({ name, cells }) => `${name} ${cells[0]}: ${cells[3]}`)
  const ofProcess = rows
    .filter(({ cells }) => cells.length === 2)
    .map(({ name, cells }) => `${name} ${cells[0]}: ${cells[1]}`)
  const found = readExposed(exposed)
  return {
    undocumented: found.filter((line) => !ofService.includes(line) && !ofProcess.includes(line)),
    missing: ofService
      .filter((line) => !found.includes(line))
      .filter((line) => !absent.includes(line.split(' ', 1)[0]!)),
  }
}

/** Returns `name kind: help` for each metric in the Prometheus format. */
function readExposed(text: string): string[] {
  const kinds = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, kind]) => [name!, kind!]),
  )
  return [...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(
    ([, name, help]) => `${name} ${kinds.get(name!)}: ${help}`,
  )
}
