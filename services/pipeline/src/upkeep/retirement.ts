import { historyKeptSince, monthKeptSince } from '@despatch/domain/purge/retention'
import type { Db } from '@despatch/store/database'
import { Counter, type Registry } from '@despatch/telemetry/metrics'
import { createLetterPartitions, dropLetterPartitions } from './letter-partitions.ts'
import { retirePrintJobs } from './retire-print-jobs.ts'
import { retireRows } from './retire-rows.ts'

export type RetirementOptions = {
  db: Db
  /** Days that a print job is kept after its purge. */
  historyDays: number
  /** Days from the end of a print job to its purge, for contracts that set no retention. */
  retentionDays: number
  registry: Registry
  now: () => Date
  jobsMax?: number
}

/** Limit for the print jobs of one pass, because one transaction deletes their rows. */
const usualJobsMax = 500

/**
 * Returns the pass that retires print jobs whose history has been kept long enough, and what belongs to none, and creates
 * and drops the partitions of their events and search terms. Several processes may do so at once.
 */
export function createRetirement({
  db,
  historyDays,
  retentionDays,
  registry,
  now,
  jobsMax = usualJobsMax,
}: RetirementOptions): () => Promise<'again' | 'idle'> {
  const retired = new Counter({
    name: 'print_jobs_retired_total',
    help: 'Print jobs that were deleted after their history had been kept long enough; their ids stay taken',
    registers: [registry],
  })
  return async () => {
    const at = now()
    await createLetterPartitions(db, { now: at })
    const purgedBefore = historyKeptSince(at, { historyDays })
    const count = await retirePrintJobs(db, { purgedBefore, jobsMax })
    retired.inc(count)
    if (count === jobsMax) return 'again'
    if ((await retireRows(db, { endedBefore: purgedBefore, rowsMax: jobsMax })) === 'again') {
      return 'again'
    }
    const retiredBefore = monthKeptSince(at, { historyDays, retentionDays })
    return dropLetterPartitions(db, { now: at, retiredBefore })
  }
}
