import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Target } from '../load-in-turn.ts'

const requestsCompared = 20

/** Throws if the two sides answer the same requests differently, since they would not be comparable. */
export async function requireSameAnswers(
  ours: Target,
  theirs: Target,
  bodiesPath: string,
): Promise<void> {
  const bodies = (await readFile(bodiesPath, 'utf8')).split('\n', requestsCompared)
  for (const body of bodies) {
    const [our, their] = await Promise.all([ask(ours, body), ask(theirs, body)])
    if (isDeepStrictEqual(our, their)) continue
    throw new Error(`${ours.path} answers otherwise than what it is held against`)
  }
}

async function ask({ origin, path, headers }: Target, body: string): Promise<unknown> {
  const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body })
  if (response.ok) return response.json()
  throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
}
