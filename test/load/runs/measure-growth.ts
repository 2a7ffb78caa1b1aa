import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import type { Ground } from '../ground.ts'
import { timed } from '../statistics.ts'
import { makeUpDocuments } from './made-up-documents.ts'
import { makeDatabase } from './make-database.ts'
import { buildRun, claimRun } from './produce-run.ts'
import { seedPrintJobs } from './seed-print-jobs.ts'
import { openStage, type Stage } from './stage.ts'
import { storeFinishedRuns } from './store-finished-runs.ts'

const claimRatioMax = 1.3

type Seconds = { build: number; claim: number }

/**
 * Compares gathering and claiming in a database with many finished print jobs with the same in a database without, in
 * turn.
 */
export async function measureGrowth(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const { stored, rounds, documents } = settings
  const full = await openStage(ground, settings, await makeDatabase(ground, 'bench_full'))
  const empty = await openStage(ground, settings, await makeDatabase(ground, 'bench_empty'))
  try {
    const { consumer, database } = full
    await storeFinishedRuns(database, { consumer, count: stored, tell: ground.tell })
    const ours: Seconds[] = []
    const theirs: Seconds[] = []
    for (let round = 1; round <= rounds; round++) {
      ground.tell(`beside ${stored.toLocaleString('en-GB')}: round ${round} of ${rounds}`)
      const order = round % 2 === 1 ? [full, empty] : [empty, full]
      for (const stage of order) (stage === full ? ours : theirs).push(await claimFresh(stage))
    }
    const measure = (name: string, of: (seconds: Seconds) => number) => ({
      name,
      ours: ours.map(of),
      theirs: theirs.map(of),
    })
    return [
      {
        scenario: `beside ${stored.toLocaleString('en-GB')} finished print jobs`,
        rival: 'beside none',
        measures: [
          {
            ...measure('claim, s', ({ claim }) => claim),
            target: { sense: 'at most', ratio: claimRatioMax },
          },
          measure('build: gather and release, s', ({ build }) => build),
        ],
        notes: [
          `${documents.toLocaleString('en-GB')} documents; both databases keep the runs of earlier rounds`,
        ],
      },
    ]
  } finally {
    await full.close()
    await empty.close()
  }
}

async function claimFresh({ database, consumer, fulfilment, settings, ground }: Stage) {
  const { documents } = settings
  await seedPrintJobs(database.pool, { consumer, documents: makeUpDocuments(documents) })
  await database.pool.query('analyze print_job')
  ground.signal.throwIfAborted()
  const [build, batchNumber] = await timed(() => buildRun(database, documents))
  await database.pool.query('analyze print_run_document')
  const [claim] = await timed(() => claimRun(fulfilment, batchNumber))
  return { build, claim }
}
