import type { SearchHasherSource } from '@despatch/access/search-terms'
import type { CountPrintJobsRequest } from '@despatch/contracts/administration/print-job'
import { bulkMatchesMax } from '@despatch/domain/bulk-action/bulk-action'
import { isFinal } from '@despatch/domain/print-job/status'
import { Problem } from '@despatch/domain/problem'
import type { Db } from '@despatch/store/database'
import { filtersOf } from '../print-job/filters.ts'
import { findPrintJobs } from '../print-job/find-print-jobs.ts'
import { conditionsOf, listMatchingKeys } from '../print-job/search-print-jobs.ts'

const pageJobsMax = 1_000

type Sources = { db: Db; searchHasher: SearchHasherSource }

/**
 * Returns the keys of the print jobs that match filters and have not ended, newest first. Throws a Problem if there is
 * none, or more than a bulk action may have.
 */
export async function readMatchingKeys(
  sources: Sources,
  { find, ...filters }: CountPrintJobsRequest,
  matchesMax = bulkMatchesMax,
): Promise<string[]> {
  const search = filtersOf(filters)
  const keys =
    find === undefined
      ? await listMatchingKeys(sources.db, search, matchesMax + 1)
      : await findKeys(sources, { find, ...search }, matchesMax)
  if (keys.length === 0) {
    throw new Problem('bulk-action-conflict', 'No print job that has not ended matches.')
  }
  if (keys.length > matchesMax) {
    throw new Problem(
      'bulk-action-conflict',
      `More than ${matchesMax} print jobs match. Narrow the filters.`,
    )
  }
  return keys
}

async function findKeys(
  { db, searchHasher }: Sources,
  { find, ...search }: ReturnType<typeof filtersOf> & { find: string },
  matchesMax: number,
): Promise<string[]> {
  const { says } = await conditionsOf(db, search)
  const page = { find, says, consumerId: search.consumerId, jobsMax: pageJobsMax }
  const hasher = await searchHasher()
  const keys: string[] = []
  let before: string | undefined
  do {
    const { printJobs, nextBefore } = await findPrintJobs(db, hasher, { ...page, before })
    keys.push(...printJobs.filter(({ status }) => !isFinal(status)).map(({ key }) => key))
    before = nextBefore
  } while (before !== undefined && keys.length <= matchesMax)
  return keys
}
