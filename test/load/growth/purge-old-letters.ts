import { eventually } from '@despatch/testing/eventually'
import { makeUpDocuments } from '../runs/made-up-documents.ts'
import { seedPrintJobs } from '../runs/seed-print-jobs.ts'
import type { System } from './system.ts'

/** The same value as in the pipeline. */
const lettersPerPass = 100
const passes = 4
/** Nothing else is that old. */
const retentionDays = 900
const batchNumber = 'R50001'
const purgeDeadlineMs = 300_000

/**
 * Saves letters whose retention is over, and starts a pipeline, which purges them pass by pass. Returns the milliseconds
 * of each pass but the first, which connects to the servers: the time between the stamps of its letters and those before.
 */
export async function purgeOldLetters({ stage, ground }: System): Promise<number[]> {
  const { database, consumer } = stage
  const { pool } = database
  const documents = makeUpDocuments(passes * lettersPerPass, 'old letter')
  await seedPrintJobs(pool, { consumer, documents, batchNumber })
  await pool.query(
    `update print_job set despatched_at = now() - $2 * interval '1 day' where created_at > now() - interval '1 hour' and batch_number = $1`,
    [batchNumber, 2 * retentionDays],
  )
  const { program } = await ground.serve('services/pipeline/src/main.ts', {
    environment: {
      LOG_LEVEL: 'warn',
      DESPATCH_RETENTION_DAYS: String(retentionDays),
      DESPATCH_PRINT_RUN_AGE_MS: '86400000',
    },
  })
  try {
    const stamps = await eventually(
      async () => {
        const { rows } = await pool.query<{ at: Date; letters: number }>(
          `select purged_at as at, count(*) as letters from print_job
           where created_at > now() - interval '1 hour' and batch_number = $1 and purged_at is not null
           group by purged_at order by purged_at`,
          [batchNumber],
        )
        const purged = rows.reduce((sum, { letters }) => sum + letters, 0)
        return purged === documents.length && rows.map(({ at }) => at.getTime())
      },
      { deadlineMs: purgeDeadlineMs, pollMs: 200, message: 'the letters are purged' },
    )
    return stamps.slice(1).map((at, index) => at - stamps[index]!)
  } finally {
    await program.stop()
  }
}
