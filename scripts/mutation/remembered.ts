import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reached } from './reached-ranges.ts'

/** What became of a mutant. `proof` is a hash of the tests that showed it, with all that they load. */
export type Verdict = { seconds: number } & (
  | { kind: 'killed'; by: string; detail: string }
  | { kind: 'survived' }
  | { kind: 'timed-out' }
)

/** How long a test takes, and what it reaches. */
export type Baseline = { seconds: number; reached: Reached }

/** Results of this run and of earlier ones, by hashes of everything that they depend on. */
export type Remembered<Result> = {
  get(key: string): Result | undefined
  set(key: string, result: Result): void
}

/** Opens a file of results, to which each new one is added at once, so that a run that is stopped loses none. */
export function openRemembered<Result extends Verdict | Baseline>(
  file: string,
): Remembered<Result> {
  const known = new Map<string, Result>()
  if (existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const entry = readEntry<Result>(line)
      if (entry) known.set(...entry)
    }
  }
  mkdirSync(dirname(file), { recursive: true })
  return {
    get: (key) => known.get(key),
    set: (key, result) => {
      known.set(key, result)
      appendFileSync(file, `${JSON.stringify([key, result])}\n`)
    },
  }
}

/** The last line of a run that was killed may be cut. */
function readEntry<Result>(line: string): [string, Result] | undefined {
  try {
    return JSON.parse(line) as [string, Result]
  } catch {
    return undefined
  }
}
