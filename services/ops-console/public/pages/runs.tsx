import type { PrintRunDetailsResponse } from '@despatch/contracts/administration/print-run'
import { ask, ownQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { beginReading } from '../parts/reading.tsx'
import { start } from '../parts/shell.tsx'
import { RunsPage } from '../runs/list.tsx'
import { readPostings } from '../runs/postings.tsx'
import { readRecalls } from '../runs/recalls.tsx'
import { readReprints } from '../runs/reprints.tsx'
import { isOver, RunPage, standingOf } from '../runs/run.tsx'
import { readSites } from '../runs/sites.tsx'

const { run: batchNumber } = ownQuery()

if (batchNumber) showRun(batchNumber)
else start(RunsPage)

function showRun(number: string): void {
  let counted = ''
  const reading = beginReading<PrintRunDetailsResponse>({
    read: async () => {
      const run = await ask<PrintRunDetailsResponse>(
        'GET',
        `/print-runs/${encodeURIComponent(number)}`,
      )
      const counts = JSON.stringify([run.state, run.account, run.waitingReprintCount])
      if (counts !== counted) readBeside()
      counted = counts
      return run
    },
    standing: standingOf,
    mayChange: (run) => !isOver(run),
  })
  /** Reads what the page shows beside the run. It changes only when the counts of the run do. */
  function readBeside(): void {
    void attempt(readReprints)
    void attempt(() => readPostings(number))
    void attempt(() => readRecalls(number))
  }
  void attempt(readSites)
  start(() => <RunPage batchNumber={number} reading={reading} />)
}
