import { readFile } from 'node:fs/promises'
import { bulkPrintJobsMax } from '@despatch/domain/bulk-action/bulk-action'
import { Failure, wrongUsage } from '../failure.ts'

type GivenIds = { ids: string[]; repeated: number }

/** Parses ids from a text, one per line. Ignores empty lines and lines that begin with #. */
export function parseIds(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** Returns each id once, and the number of repeats. Throws a Failure unless there are 1 to 1,000. */
export function chooseIds(given: readonly string[]): GivenIds {
  const ids = [...new Set(given)]
  if (ids.length === 0)
    throw wrongUsage('no print jobs given: name ids, or give a file with --file')
  if (ids.length > bulkPrintJobsMax) {
    throw wrongUsage(`${ids.length} print jobs given; the maximum is ${bulkPrintJobsMax}`)
  }
  return { ids, repeated: given.length - ids.length }
}

/** Reads ids from a file. Throws a Failure if the file cannot be read. */
export async function readIdsFile(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be read (${cause.code})`, { exitCode: 1, cause })
  })
  return parseIds(text)
}
