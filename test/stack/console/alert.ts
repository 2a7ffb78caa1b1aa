import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')
const rules = 'infra/observability/prometheus/rules/despatch.yml'

export type Alert = {
  /** The expression that Prometheus evaluates. */
  expression: string
  /** The path of the page in the console. */
  consolePath: string
  runbook: string
}

/** Reads what an operator gets with an alert: its annotations, and the runbook that they name. */
export async function readAlert(name: string): Promise<Alert> {
  const text = await readFile(resolve(root, rules), 'utf8')
  const [rule] = text.split(`- alert: ${name}\n`)[1]?.split('- alert: ') ?? []
  const read = (label: string) => {
    const found = new RegExp(`^ +${label}: (.+)$`, 'm').exec(rule ?? '')?.[1]
    if (found === undefined) throw new Error(`The alert ${name} has no ${label}`)
    return found
  }
  const [page = ''] = read('runbook_url').split('#')
  const [, runbook = ''] = (await readFile(resolve(root, page), 'utf8')).split(`\n## ${name}\n`)
  return {
    expression: read('expr'),
    consolePath: read('console_path'),
    runbook: runbook.split('\n## ', 1)[0]!,
  }
}
