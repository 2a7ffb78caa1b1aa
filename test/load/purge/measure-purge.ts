import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { insertProvider } from '@despatch/store/access/consumers'
import type { Database } from '@despatch/store/database'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { type Cost, costBetween, openCosts } from '../cost.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { watchMemory } from '../memory.ts'
import { openObjects } from '../open-objects.ts'
import { startService } from '../pipeline/our-pipeline.ts'
import { ageObjects, putOrphans, seedEndedLetters } from './seed-ended-letters.ts'

const pollMs = 50
const statementTimeoutMs = 600_000
const lettersPerSecond = 120
/** 10 million a day. */
const keysPerSecond = 116
/** The loop that removes objects afterwards pauses for this long, so that it is not measured. */
const never = '600000'

type Result = { perSecond: number; cost: Cost; mebibytesMax: number }

/** Measures how fast one pipeline process purges letters, and walks over a bucket of as many objects that nothing uses. */
export function measurePurge(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 2, statementTimeoutMs }, async (database) => {
    const { jobs } = settings
    const { pool } = database
    ground.tell(`saving ${jobs} letters with their objects`)
    const objects = openObjects(ground.environment)
    const consumer = await insertConsumer(database.db)
    await insertProvider(database.db, { id: 'bench', name: 'Bench', printLocations: ['BENCH'] })
    await seedEndedLetters(pool, { objects, consumer, count: jobs })
    await ageObjects(join(ground.directory, 'objects'))
    await pool.query('update orphan_walk set started_at = now()')
    ground.tell('purging')
    const purge = await measure(ground, settings, database, {
      count: jobs,
      environment: { DESPATCH_SWEEP_INTERVAL_MS: never },
      countLeft: 'select count(*) as left from print_job where purged_at is null',
    })

    ground.tell(`storing ${jobs} objects`)
    await putOrphans(objects, jobs)
    objects.close()
    await ageObjects(join(ground.directory, 'objects'))
    await pool.query(`update migration set applied_at = now() - interval '10 days'`)
    await pool.query('update orphan_walk set started_at = null')
    ground.tell('walking')
    const walk = await measure(ground, settings, database, {
      count: jobs,
      environment: { DESPATCH_ORPHAN_PAGE_INTERVAL_MS: '0', DESPATCH_SWEEP_INTERVAL_MS: never },
      countLeft:
        'select count(*) as left from orphan_walk where not is_complete or started_at is null',
    })
    const { rows } = await pool.query<{ found: number }>(
      `select count(*) as found from doomed_object where cause = 'orphaned'`,
    )
    if (rows[0]!.found !== jobs) throw new Error(`The walk found ${rows[0]!.found} orphans`)
    return [
      compare(`${jobs} letters with an upload, a file, a document and a callback`, purge, {
        of: 'letter',
        atLeast: lettersPerSecond,
      }),
      compare(`a bucket with ${jobs} objects, all orphans, without pauses`, walk, {
        of: 'key',
        atLeast: keysPerSecond,
      }),
    ]
  })
}

function compare(
  scenario: string,
  { perSecond, cost, mebibytesMax }: Result,
  { of, atLeast }: { of: string; atLeast: number },
): Comparison {
  return {
    scenario,
    rival: '',
    measures: [],
    figures: [
      {
        name: `${of}s/s`,
        ours: [perSecond],
        target: { sense: 'at least', figure: atLeast },
      },
      ...Object.entries(cost.cpuMs).map(([process, ms]) => ({
        name: `CPU ms per ${of}, ${process}`,
        ours: [ms],
      })),
      { name: 'memory of the pipeline at most, MiB', ours: [mebibytesMax] },
    ],
    notes: [],
  }
}

/** Starts a pipeline and waits until nothing is left. `count` is the number of letters or objects. */
async function measure(
  ground: Ground,
  settings: Settings,
  { pool }: Database,
  given: { count: number; environment: Record<string, string>; countLeft: string },
): Promise<Result> {
  const { count, environment } = given
  const countLeft = async () => {
    const { rows } = await pool.query<{ left: number }>(given.countLeft)
    return rows[0]!.left
  }
  const leftAtFirst = await countLeft()
  const program = await startService(ground, settings, { LOG_LEVEL: 'warn', ...environment })
  const processes = { pipeline: program.pid, 'object store': ground.objectStore.pid }
  const readCosts = await openCosts(pool, processes)
  const memory = watchMemory(program.pid)
  const [before, startedAt, leftBefore] = [await readCosts(), performance.now(), await countLeft()]
  while ((await countLeft()) > 0) {
    if (performance.now() > startedAt + settings.seconds * 1_000)
      throw new Error('It takes too long')
    await pause(pollMs, undefined, { signal: ground.signal })
  }
  const done = (count * leftBefore) / leftAtFirst
  const perSecond = (done * 1_000) / (performance.now() - startedAt)
  const cost = costBetween(before, await readCosts(), done)
  const { mebibytesMax = Number.NaN } = memory.stop()
  await program.stop()
  return { perSecond, cost, mebibytesMax }
}
