import { setTimeout as pause } from 'node:timers/promises'
import { gatherPrintRuns } from '@despatch/store/print-run/gather'
import { releasePrintRun } from '@despatch/store/print-run/release'
import { returnRelease, takeRelease } from '@despatch/store/print-run/take-release'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { type Ground, onNewDatabase, withDatabase } from '../ground.ts'
import { makeUpDocuments } from '../runs/made-up-documents.ts'
import { claimRun } from '../runs/produce-run.ts'
import { seedPrintJobs } from '../runs/seed-print-jobs.ts'
import { openStage, type Stage } from '../runs/stage.ts'
import { timed } from '../statistics.ts'
import { told } from './fill-system.ts'
import { measureList } from './measure-list.ts'

/** The same values as in the pipeline. */
const runDocumentsMax = 100_000
const jobsMax = 5_000
const leaseSeconds = 60
const msMax = 5_000
const seedDocuments = 10_000
const lookMs = 200
const releaseSecondsMax = 300
const claimSecondsMax = 5
const firstByteSecondsMax = 1
const grownMebibytesMax = 100

/**
 * Makes many letters due at one cut-off: gathers them into full print runs, then releases the runs. Meanwhile the
 * provider claims each released run but one, which it claims afterwards, and whose list it reads.
 */
export async function measureCutOff(shared: Ground, settings: Settings): Promise<Comparison> {
  const ground = await onNewDatabase(shared, 'bench_cut_off')
  const stage = await openStage(ground, settings)
  try {
    await seed(stage)
    // with the statement timeout of the services
    return await withDatabase(ground, { connectionsMax: 4 }, (database) =>
      passCutOff({ ...stage, database }),
    )
  } finally {
    await stage.close()
  }
}

async function passCutOff(stage: Stage): Promise<Comparison> {
  const { ground, settings, database, fulfilment } = stage
  const [gatherSeconds, longestSeconds] = await timed(() => gatherAll(stage))
  await database.pool.query('analyze print_job, print_run_document')
  const runs = await countDueRuns(stage)
  ground.tell(`releasing ${runs} print runs`)
  const claiming = claimReleased(stage, runs - 1)
  const [releaseSeconds] = await timed(() => releaseAll(stage))
  const meanwhile = await claiming
  const [last] = await claimReleased(stage, 1)
  const list = await measureList(fulfilment, last!.batchNumber)
  const atMost = (name: string, ours: readonly number[], figure: number) => ({
    name,
    ours,
    target: { sense: 'at most', figure } as const,
  })
  return {
    scenario: `${told(settings.letters)} letters due at one cut-off, in ${runs} runs`,
    rival: '',
    measures: [],
    figures: [
      { name: 'gathered, letters/s', ours: [settings.letters / gatherSeconds] },
      { name: 'longest pass of gathering, s', ours: [longestSeconds] },
      atMost('release of all, s', [releaseSeconds], releaseSecondsMax),
      ...(meanwhile.length > 0
        ? [
            atMost(
              'claim of a run meanwhile, s',
              meanwhile.map(({ seconds }) => seconds),
              claimSecondsMax,
            ),
          ]
        : []),
      atMost('claim of a run afterwards, s', [last!.seconds], claimSecondsMax),
      atMost('its list, first byte, s', [list.firstByteSeconds], firstByteSecondsMax),
      { name: 'its list, whole, s', ours: [list.seconds] },
      atMost('its list, memory grown, MiB', [list.grownMebibytes], grownMebibytesMax),
    ],
    notes: [],
  }
}

async function seed({ ground, settings, database, consumer }: Stage): Promise<void> {
  for (let seeded = 0; seeded < settings.letters; seeded += seedDocuments) {
    ground.signal.throwIfAborted()
    if (seeded % 100_000 === 0) ground.tell(`cut-off: ${told(seeded)} letters`)
    const documents = makeUpDocuments(Math.min(seedDocuments, settings.letters - seeded))
    await seedPrintJobs(database.pool, { consumer, documents })
  }
  await database.pool.query('vacuum analyze print_job')
}

/**
 * Gathers all PENDING letters in passes, as the pipeline does, and then makes every run due. Returns the seconds of the
 * longest pass.
 */
async function gatherAll({ database: { db }, ground }: Stage): Promise<number> {
  const pass = (runAgeMs: number) =>
    db
      .transaction()
      .execute((tx) => gatherPrintRuns(tx, { documentsMax: runDocumentsMax, jobsMax, runAgeMs }))
  let longestSeconds = 0
  for (let isMore = true; isMore; ) {
    ground.signal.throwIfAborted()
    const [seconds, outcome] = await timed(() => pass(86_400_000))
    longestSeconds = Math.max(longestSeconds, seconds)
    isMore = outcome.isMore
  }
  await pass(0)
  return longestSeconds
}

async function countDueRuns({ database: { pool } }: Stage): Promise<number> {
  const { rows } = await pool.query<{ runs: number }>(
    'select count(*) as runs from print_run where release_began_at is not null',
  )
  return rows[0]!.runs
}

/** Releases every run that is completely gathered, one after the other, as one pipeline process does. */
async function releaseAll({ database: { db }, ground }: Stage): Promise<void> {
  for (;;) {
    ground.signal.throwIfAborted()
    const taken = await takeRelease(db, { leaseSeconds })
    if (!taken) return
    const outcome = await releasePrintRun(db, taken, { leaseSeconds, msMax })
    if (outcome === 'unfinished') await returnRelease(db, taken.batchNumber)
  }
}

type Claimed = { batchNumber: string; seconds: number }

/** Claims runs over HTTP, each as soon as it is released. */
async function claimReleased(
  { database: { pool }, fulfilment, ground: { signal } }: Stage,
  count: number,
): Promise<Claimed[]> {
  const claimed: Claimed[] = []
  while (claimed.length < count) {
    const { rows } = await pool.query<{ batchNumber: string }>(
      `select batch_number as "batchNumber" from print_run where state = 'RELEASED' order by released_at limit 1`,
    )
    const [released] = rows
    if (released) {
      const [seconds] = await timed(() => claimRun(fulfilment, released.batchNumber))
      claimed.push({ ...released, seconds })
    } else await pause(lookMs, undefined, { signal })
  }
  return claimed
}
