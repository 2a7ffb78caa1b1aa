import { randomUUID } from 'node:crypto'
import { aDatabase } from '@despatch/testing/a-database'
import { correctCounts } from '@despatch/testing/kept-counts'
import { seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import {
  type PrintJobSearch,
  type SearchLimits,
  searchPrintJobs,
} from '../src/print-job/search-print-jobs.ts'

/** Seven keys, newest first. */
const database = await shared(aDatabase())
const seed = await seeder(database.db)
const keys: string[] = Array.from({ length: 7 }, () => randomUUID())
  .toSorted()
  .toReversed()
for (const [index, key] of keys.entries()) {
  const held = index % 2 === 1 ? { held_at: new Date(), held_by: 'operator' } : {}
  await seed.printJob({ key, ...held })
}
await correctCounts(database.db)

type Listing = Omit<PrintJobSearch, 'before'> & Omit<SearchLimits, 'at'>

/** Returns the indexes of the print jobs on each page, up to the last page. */
async function pagesOf(listing: Listing): Promise<number[][]> {
  const { lookedThroughMax, rareMax, sortedMax, ...search } = listing
  const limits = {
    ...(lookedThroughMax && { lookedThroughMax }),
    ...(rareMax && { rareMax }),
    ...(sortedMax && { sortedMax }),
  }
  const pages: number[][] = []
  let before: string | undefined
  do {
    const page = await searchPrintJobs(database.db, { ...search, before }, limits)
    pages.push(page.printJobs.map(({ key }) => keys.indexOf(key)))
    before = page.nextBefore
  } while (before !== undefined && pages.length < 10)
  return pages
}

const all = [[0, 1, 2, 3, 4, 5, 6]]
const held = { only: 'held', jobsMax: 10, rareMax: 1 } as const
const live = { statuses: ['QUARANTINE'], jobsMax: 10 } as const
const stranger = { consumerId: randomUUID(), rareMax: 6, lookedThroughMax: 2 }
const oldestFirst = { isOldestFirst: true }

test.each<[string, Listing, number[][]]>([
  ['all at once', { jobsMax: 10 }, all],
  ['page by page', { jobsMax: 3 }, [[0, 1, 2], [3, 4, 5], [6]]],
  ['oldest first', { jobsMax: 3, ...oldestFirst }, [[6, 5, 4], [3, 2, 1], [0]]],
  [
    'oldest first, in stretches',
    { jobsMax: 3, ...oldestFirst, lookedThroughMax: 2 },
    [[6, 5], [4, 3], [2, 1], [0]],
  ],
  ['held, oldest first', { only: 'held', jobsMax: 2, ...oldestFirst }, [[5, 3], [1]]],
  ['of a live status, whatever the stretch', { ...live, lookedThroughMax: 1 }, all],
  [
    'of a live status with many, page by page',
    { ...live, jobsMax: 2, rareMax: 6, lookedThroughMax: 3 },
    [[0, 1], [2, 3], [4, 5], [6]],
  ],
  [
    'of a consumer in a status with many, in which it has some',
    { ...live, consumerId: seed.consumerId, rareMax: 6 },
    all,
  ],
  ['of a consumer in a status with many, in which it has none', { ...live, ...stranger }, [[]]],
  ['held, of which there are many, and no others', { ...held, lookedThroughMax: 5 }, [[1, 3, 5]]],
  [
    'held, oldest first, of which there are many, in stretches',
    { ...held, lookedThroughMax: 2, ...oldestFirst },
    [[5, 3], [1]],
  ],
  [
    'held, of which there are too many to be sorted',
    { ...held, sortedMax: 1, lookedThroughMax: 5 },
    [[1, 3], [5]],
  ],
  [
    'a page ends with the stretch that was looked through, also without any',
    { statuses: ['REJECTED'], jobsMax: 2, lookedThroughMax: 4 },
    [[], []],
  ],
])('%s', async (_name, search, pages) => {
  expect(await pagesOf(search)).toEqual(pages)
})
