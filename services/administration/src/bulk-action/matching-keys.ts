import type { SearchHasherSource } from '@despatch/access/search-terms'
import type { CountPrintJobsRequest } from '@despatch/contracts/administration/print-job'
import { bulkMatchesMax } from '@despatch/domain/bulk-action/bulk-action'
import { Problem } from '@despatch/domain/problem'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { filtersOf } from '../print-job/filters.ts'
import { findPrintJobs } from '../print-job/find-print-jobs.ts'
import { listOpenKeys, openConditionsOf } from '../print-job/search-print-jobs.ts'

const pageJobsMax = 1_000
/** Pages of a search are mostly empty if most of the print jobs that it finds have ended. */
const pagesMax = 50

type Sources = { db: Db; searchHasher: SearchHasherSource }
type Limits = { matchesMax?: number; jobsMax?: number; pages?: number }

/**
 * Returns the keys of the print jobs that match filters and have not ended, newest first. Throws a Problem if there is
 * none, if there are more than a bulk action may have, or if the search may not have found all of them.
 */
export async function readMatchingKeys(
  sources: Sources,
  { find, ...filters }: CountPrintJobsRequest,
  { matchesMax = bulkMatchesMax, jobsMax = pageJobsMax, pages = pagesMax }: Limits = {},
): Promise<string[]> {
  const { db } = sources
  const search = filtersOf(filters)
  const keys =
    find === undefined
      ? await listOpenKeys(db, search, matchesMax + 1)
      : await findOpenKeys(sources, { find, ...search, jobsMax }, { matchesMax, pages })
  if (keys.length === 0) throw conflict('No print job that has not ended matches.')
  if (keys.length > matchesMax) {
    throw conflict(`More than ${matchesMax} print jobs match. Narrow the filters.`)
  }
  return keys
}

type Found = ReturnType<typeof filtersOf> & { find: string; jobsMax: number }

async function findOpenKeys(
  { db, searchHasher }: Sources,
  { find, jobsMax, ...search }: Found,
  { matchesMax, pages }: { matchesMax: number; pages: number },
): Promise<string[]> {
  const { says } = await openConditionsOf(db, search)
  const hasher = await searchHasher()
  const keys: string[] = []
  let before: string | undefined
  for (let page = 0; page < pages; page += 1) {
    const found = await findPrintJobs<{ key: string }>(db, hasher, {
      find,
      says,
      consumerId: search.consumerId,
      jobsMax,
      before,
      columns: sql`job.key`,
    })
    if (found.isIndexing) {
      throw conflict('Some print jobs are not indexed for this search yet. Try again later.')
    }
    keys.push(...found.printJobs.map(({ key }) => key))
    before = found.nextBefore
    if (before === undefined || keys.length > matchesMax) return keys
  }
  throw conflict('The text is found in too many print jobs that have ended. Search for another.')
}

function conflict(detail: string): Problem {
  return new Problem('bulk-action-conflict', detail)
}
