import { gatherPrintRuns } from '@despatch/store/print-run/gather'
import type { Stage } from '../runs/stage.ts'
import { timed } from '../statistics.ts'

/** The same value as in the pipeline. */
const jobsMax = 5_000

export type Gathering = { runs: number; seconds: number; longestSeconds: number }

/** Gathers all PENDING letters in passes, as the pipeline does, and then makes every run due. */
export async function gatherAll(
  { database, ground }: Stage,
  documentsMax: number,
): Promise<Gathering> {
  const { db, pool } = database
  const pass = (runAgeMs: number) =>
    db.transaction().execute((tx) => gatherPrintRuns(tx, { documentsMax, jobsMax, runAgeMs }))
  let longestSeconds = 0
  const [seconds] = await timed(async () => {
    for (let isMore = true; isMore; ) {
      ground.signal.throwIfAborted()
      const [passSeconds, outcome] = await timed(() => pass(86_400_000))
      longestSeconds = Math.max(longestSeconds, passSeconds)
      isMore = outcome.isMore
    }
  })
  await pass(0)
  const { rows } = await pool.query(
    `select count(*) as runs from print_run where release_began_at is not null`,
  )
  return { runs: rows[0].runs, seconds, longestSeconds }
}
