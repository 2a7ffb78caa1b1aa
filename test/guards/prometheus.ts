import { readText } from './tree.ts'

export type DocumentedMetric = { name: string; kind: string; labels: string[]; help: string }

/** Reads the tables of docs/metrics.md: the metrics of services, and those of every process. */
export function documentedMetrics(): {
  ofServices: DocumentedMetric[]
  ofProcess: DocumentedMetric[]
} {
  const [, services = '', process = ''] =
    /^## What each service counts$(.*?)^## What each process(.*)/ms.exec(
      readText('docs/metrics.md'),
    ) ?? []
  return {
    ofServices: rowsOf(services).map(([name = '', kind = '', labels = '', , help = '']) => ({
      name,
      kind,
      labels: [...labels.matchAll(/`(\w+)`:/g)].map(([, label]) => label!),
      help,
    })),
    ofProcess: rowsOf(process).map(([name = '', kind = '', help = '']) => ({
      name,
      kind,
      labels: [],
      help,
    })),
  }
}

/** Returns the cells of each row whose first cell is a name in code, without the code marks. */
function rowsOf(text: string): string[][] {
  return [...text.matchAll(/^\| `(\w+)` *\|(.*)\|$/gm)]
    .filter(([, name]) => name!.includes('_'))
    .map(([, name, rest]) => [name!, ...rest!.split('|').map((cell) => cell.trim())])
}

export type Selected = { metric: string; labels: string[] }

/** Returns the metrics that a PromQL expression selects, each with the labels that it uses. */
export function selectedBy(expression: string): Selected[] {
  const plain = expression
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
  return [...plain.matchAll(/\b([a-z_][a-z0-9_]*)\b(?!\s*\()(\{[^}]*\})?/g)]
    .filter(([, word, selector]) => selector !== undefined || !operators.has(word!))
    .filter(({ index }) => !isInside(plain, index))
    .map(([, metric, selector = '']) => ({
      metric: metric!,
      labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
    }))
}

const operators = new Set(['and', 'or', 'unless', 'bool', 'offset'])

/** Whether a position lies between the braces of a selector. */
function isInside(text: string, index: number): boolean {
  const before = text.slice(0, index)
  return before.lastIndexOf('{') > before.lastIndexOf('}')
}
