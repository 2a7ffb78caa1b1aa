import { gatherPrintRuns } from '@despatch/store/print-run/gather'
import { releaseDuePrintRuns } from '@despatch/testing/gather-and-release'
import { makeUpDocuments } from '../runs/made-up-documents.ts'
import { claimRun } from '../runs/produce-run.ts'
import { seedPrintJobs } from '../runs/seed-print-jobs.ts'
import type { Stage } from '../runs/stage.ts'
import { timed } from '../statistics.ts'

/** The same value as in the pipeline. */
const jobsMax = 5_000
const runAgeMs = 86_400_000

export type RunSeconds = { gather: number; release: number; claim: number }

/** Gathers, releases and claims a run of new letters, which fill it. */
export async function produceNewRun(stage: Stage): Promise<RunSeconds> {
  const { database, consumer, fulfilment, settings, ground } = stage
  const documents = makeUpDocuments(settings.documents)
  await seedPrintJobs(database.pool, { consumer, documents })
  await database.pool.query('analyze print_job')
  ground.signal.throwIfAborted()
  const [gather] = await timed(() => gatherUntilFull(stage))
  const [release, [batchNumber]] = await timed(() => releaseDuePrintRuns(database.db))
  if (batchNumber === undefined) throw new Error('No print run was released')
  await database.pool.query('analyze print_run_document')
  const [claim, { documentCount }] = await timed(() => claimRun(fulfilment, batchNumber))
  if (documentCount !== settings.documents) throw new Error('The run has other letters too')
  return { gather, release, claim }
}

async function gatherUntilFull({ database: { db }, settings }: Stage): Promise<void> {
  const options = { documentsMax: settings.documents, jobsMax, runAgeMs }
  for (;;) {
    const { due, isMore } = await db.transaction().execute((tx) => gatherPrintRuns(tx, options))
    if (due.length > 0) return
    if (!isMore) throw new Error('The letters did not fill a print run')
  }
}
