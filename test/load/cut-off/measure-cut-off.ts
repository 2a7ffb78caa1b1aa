import { loadavg } from 'node:os'
import { openDatabase } from '@despatch/store/database'
import type { Settings } from '../command-line.ts'
import type { Comparison, Figure } from '../comparison.ts'
import type { Ground } from '../ground.ts'
import { makeUpDocuments } from '../runs/made-up-documents.ts'
import { seedPrintJobs } from '../runs/seed-print-jobs.ts'
import { openStage, type Stage } from '../runs/stage.ts'
import { timed } from '../statistics.ts'
import { claimReleased } from './claim-released.ts'
import { gatherAll } from './gather-all.ts'
import { deleteNowAndThen, releaseAll } from './release-all.ts'
import { dissolveOne, moveOne } from './take-elsewhere.ts'

const runDocumentsMax = 100_000
const seedDocuments = 10_000
const releaseSecondsMax = 300
const claimSecondsMax = 5
/** Released runs that are not claimed: one is reassigned and one is dissolved. */
const runsLeft = 2

/**
 * Makes all letters due at one cut-off: gathers them into full print runs, then releases the runs. Meanwhile the
 * provider claims each released run, and consumers delete letters.
 */
export async function measureCutOff(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const seeding = await openStage(ground, settings, ground.databaseUrl)
  // with the services' statement timeout
  const database = openDatabase(ground.databaseUrl, { name: 'cut-off', connectionsMax: 6 })
  const stage = { ...seeding, database }
  try {
    await seed(seeding)
    const gathering = await gatherAll(stage, runDocumentsMax)
    await seeding.database.pool.query('analyze print_job, print_run_document')
    const { runs } = gathering
    ground.tell(`releasing ${runs} print runs`)
    const over = new AbortController()
    const claiming = claimReleased(stage, { count: Math.max(1, runs - runsLeft) }, ground.signal)
    const deleting = deleteNowAndThen(stage, over.signal)
    const [releaseSeconds] = await timed(() => releaseAll(stage))
    over.abort()
    const deleteSeconds = await deleting
    const claimSeconds = await claiming
    const figures: Figure[] = [
      { name: 'gathered, letters/s', ours: [settings.documents / gathering.seconds] },
      { name: 'longest pass of gathering, s', ours: [gathering.longestSeconds] },
      {
        name: 'release of all, s',
        ours: [releaseSeconds],
        target: { sense: 'at most', figure: releaseSecondsMax },
      },
      {
        name: 'claim of a run meanwhile, s',
        ours: claimSeconds,
        target: { sense: 'at most', figure: claimSecondsMax },
      },
      { name: 'deletion of a letter meanwhile, s', ours: deleteSeconds },
    ]
    if (runs > runsLeft) {
      figures.push({ name: 'move of a released run, s', ours: [await moveOne(stage)] })
      figures.push({ name: 'rerouting of a released run, s', ours: [await dissolveOne(stage)] })
    }
    return [
      {
        scenario: `${settings.documents.toLocaleString('en-GB')} letters due at one cut-off, in ${runs} runs`,
        rival: '',
        measures: [],
        figures,
        notes: [`load after ${loadavg()[0]!.toFixed(1)}`],
      },
    ]
  } finally {
    await database.close()
    await seeding.close()
  }
}

async function seed({ ground, settings, database, consumer }: Stage): Promise<void> {
  for (let seeded = 0; seeded < settings.documents; seeded += seedDocuments) {
    ground.signal.throwIfAborted()
    if (seeded % 100_000 === 0) ground.tell(`saving letters: ${seeded.toLocaleString('en-GB')}`)
    const documents = makeUpDocuments(Math.min(seedDocuments, settings.documents - seeded))
    await seedPrintJobs(database.pool, { consumer, documents })
  }
  await database.pool.query('vacuum analyze print_job')
}
