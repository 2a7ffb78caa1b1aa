import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** How often a range of the text of a file was run. A range inside of another one counts instead of that one. */
type Range = [start: number, end: number, count: number]

/** What a test ran of each file: the ranges by each process or thread that loaded it. */
export type Reached = Record<string, Range[][]>

type Coverage = {
  result: {
    url: string
    functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[]
  }[]
}

/**
 * Reads what the processes of a test ran of the files below `folders`, from what they have written to the directory of
 * NODE_V8_COVERAGE.
 */
export function readReached(directory: string, root: string, folders: readonly string[]): Reached {
  const reached: Reached = {}
  const base = pathToFileURL(`${root}/`).href
  for (const name of readdirSync(directory)) {
    const { result } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as Coverage
    for (const { url, functions } of result) {
      const path = url.startsWith(base) ? url.slice(base.length) : ''
      if (!folders.some((folder) => path.startsWith(folder))) continue
      const ranges = functions
        .flatMap((each) => each.ranges)
        .map(({ startOffset, endOffset, count }): Range => [startOffset, endOffset, count])
      reached[path] = [...(reached[path] ?? []), ranges]
    }
  }
  return reached
}

/** `always`: the place is outside of all functions, so it runs when the file is loaded. */
export function placeIsReached(
  loads: Reached[string] = [],
  offset: number,
): 'yes' | 'no' | 'always' {
  const inner = loads.map((ranges) => innermost(ranges, offset))
  const run = inner.filter((range) => range !== undefined).filter(([, , count]) => count > 0)
  if (run.length === 0) return 'no'
  return run.some(([start]) => start > 0) ? 'yes' : 'always'
}

function innermost(ranges: readonly Range[], offset: number): Range | undefined {
  let inner: Range | undefined
  for (const range of ranges) {
    const [start, end] = range
    if (offset < start || offset >= end) continue
    if (!inner || end - start <= inner[1] - inner[0]) inner = range
  }
  return inner
}

/** Whether a function of the file was called. */
export function aFunctionIsReached(loads: Reached[string] = []): boolean {
  return loads.some((ranges) => ranges.some(([start, , count]) => start > 0 && count > 0))
}
