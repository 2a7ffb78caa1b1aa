import { setTimeout as pause } from 'node:timers/promises'
import { savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'
import { releasePrintRun } from '@despatch/store/print-run/release'
import { returnRelease, takeRelease } from '@despatch/store/print-run/take-release'
import type { Stage } from '../runs/stage.ts'
import { timed } from '../statistics.ts'

/** The same values as in the pipeline. */
const leaseSeconds = 60
const msMax = 5_000

/** Releases every run that is completely gathered, one after the other, as one pipeline process does. */
export async function releaseAll({ database: { db }, ground }: Stage): Promise<void> {
  for (;;) {
    ground.signal.throwIfAborted()
    const taken = await takeRelease(db, { leaseSeconds })
    if (!taken) return
    const outcome = await releasePrintRun(db, taken, { leaseSeconds, msMax })
    if (outcome === 'unfinished') await returnRelease(db, taken.batchNumber)
  }
}

const deletionsPerSecond = 4

/** Deletes unclaimed letters until the signal aborts. Returns how long each deletion took, in seconds. */
export async function deleteNowAndThen(
  { database: { db, pool }, consumer }: Stage,
  signal: AbortSignal,
): Promise<number[]> {
  const seconds: number[] = []
  while (!signal.aborted) {
    const { rows } = await pool.query<{ id: string }>(
      `select id from print_job tablesample system (0.1)
       where status = 'PENDING' and deleted_at is null limit 1`,
    )
    const [chosen] = rows
    if (chosen) {
      const [took] = await timed(() => savePrintJobDeletion(db, consumer.consumerId, chosen.id))
      seconds.push(took)
    }
    await pause(1000 / deletionsPerSecond)
  }
  return seconds
}
