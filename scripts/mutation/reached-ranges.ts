import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What a test ran of each file: for each range of its text how often, the outer ranges before those inside them. */
export type Reached = Record<string, [start: number, end: number, count: number][]>

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
      const ranges = functions.flatMap((each) => each.ranges)
      reached[path] = [
        ...(reached[path] ?? []),
        ...ranges.map(({ startOffset, endOffset, count }): [number, number, number] => [
          startOffset,
          endOffset,
          count,
        ]),
      ]
    }
  }
  return reached
}

/** `always`: the place is outside of all functions, so it runs when the file is loaded. */
export function placeIsReached(
  ranges: Reached[string] | undefined,
  offset: number,
): 'yes' | 'no' | 'always' {
  let inner: Reached[string][number] | undefined
  for (const range of ranges ?? []) {
    const [start, end] = range
    if (offset < start || offset >= end) continue
    if (!inner || end - start <= inner[1] - inner[0]) inner = range
  }
  if (!inner || inner[2] === 0) return 'no'
  return inner[0] === 0 ? 'always' : 'yes'
}

/** Whether a function of the file was called. */
export function aFunctionIsReached(ranges: Reached[string] | undefined): boolean {
  return (ranges ?? []).some(([start, , count]) => start > 0 && count > 0)
}
