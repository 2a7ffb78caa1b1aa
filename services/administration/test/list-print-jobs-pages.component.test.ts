import { randomUUID } from 'node:crypto'
import { aDatabase } from '@despatch/testing/a-database'
import { someStandardParams } from '@despatch/testing/print-job-builders'
import { seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { type PrintJobSearch, searchPrintJobs } from '../src/operations/list-print-jobs.ts'

/** Seven keys, newest first. The first, the fourth and the last belong to one case. */
const database = await shared(aDatabase())
const seed = await seeder(database.db)
const keys: string[] = Array.from({ length: 7 }, () => randomUUID())
  .toSorted()
  .toReversed()
for (const [index, key] of keys.entries()) {
  const businessIdentifier = index % 3 === 0 ? 'case-1' : `other-${index}`
  const standard_params = JSON.stringify({ ...someStandardParams, businessIdentifier })
  await seed.printJob({ key, standard_params })
}

/** Returns the indexes of the print jobs on each page, up to the last page. */
async function pagesOf(search: Omit<PrintJobSearch, 'before'>): Promise<number[][]> {
  const pages: number[][] = []
  let before: string | undefined
  do {
    const page = await searchPrintJobs(database.db, { ...search, before })
    pages.push(page.printJobs.map(({ key }) => keys.indexOf(key)))
    before = page.nextBefore
  } while (before !== undefined && pages.length < 10)
  return pages
}

test.each<[string, Omit<PrintJobSearch, 'before'>, number[][]]>([
  ['all at once', { jobsMax: 10 }, [[0, 1, 2, 3, 4, 5, 6]]],
  ['page by page', { jobsMax: 3 }, [[0, 1, 2], [3, 4, 5], [6]]],
  ['those of a case', { find: 'case-1', jobsMax: 10 }, [[0, 3, 6]]],
  ['a full page ends where its last one is', { find: 'case-1', jobsMax: 2 }, [[0, 3], [6]]],
  [
    'a page ends with the stretch that was looked through, also without any',
    { find: 'case-1', jobsMax: 2, lookedThroughMax: 2 },
    [[0], [3], [], [6]],
  ],
  [
    'of a live status, whatever the stretch',
    { status: 'QUARANTINE', jobsMax: 10, lookedThroughMax: 1 },
    [[0, 1, 2, 3, 4, 5, 6]],
  ],
  ['nothing', { find: 'case-2', jobsMax: 10 }, [[]]],
])('%s', async (_name, search, pages) => {
  expect(await pagesOf(search)).toEqual(pages)
})

test('an id is found wherever it is, and nothing else is looked for then', async () => {
  const [, second] = keys

  expect(await pagesOf({ find: second!, jobsMax: 10, lookedThroughMax: 1 })).toEqual([[1]])
})
