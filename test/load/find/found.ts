import { readFile } from 'node:fs/promises'
import type { Database } from '@despatch/store/database'
import type { Target } from '../load-in-turn.ts'
import { spread } from '../statistics.ts'
import type { Statement } from './bare-statement.ts'
import type { SearchFiles } from './sides.ts'

const requestsAsked = 100

/**
 * Describes how many drivers each kind of search finds. Throws if a kind finds none, or if the service and its
 * statement find different numbers, since they would not be comparable.
 */
export async function describeFound(
  { pool }: Database,
  target: Target,
  searches: readonly SearchFiles[],
): Promise<string> {
  const found: string[] = []
  for (const { name, requestsPath, statementsPath } of searches) {
    const statements = await firstLines(statementsPath)
    const counts: number[] = []
    for (const [index, body] of (await firstLines(requestsPath)).entries()) {
      const count = await countFound(target, body)
      const { rows } = await pool.query<{ total: number }>(
        JSON.parse(statements[index]!) as Statement,
      )
      if (rows[0]?.total !== count)
        throw new Error(`${name}: the service finds otherwise than its SQL`)
      counts.push(count)
    }
    const { median, min, max } = spread(counts)
    if (max === 0) throw new Error(`${name}: nobody is found`)
    found.push(`${name} ${median} (${min} to ${max})`)
  }
  return `drivers found by a search: ${found.join(', ')}`
}

async function firstLines(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).trimEnd().split('\n', requestsAsked)
}

async function countFound({ origin, path, headers }: Target, body: string): Promise<number> {
  const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`A search was answered ${response.status}: ${text}`)
  return Number(response.headers.get('x-total-count'))
}
