import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@despatch/store/database'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { type Cost, type CostReader, costBetween, cpuFigures, cpuSum, openCosts } from '../cost.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { shuffled } from '../shuffled.ts'
import { measureLettersWithFiles } from './measure-letters-with-files.ts'
import { startPipeline } from './our-pipeline.ts'
import { type Rival, type Side, startRivals } from './rivals.ts'

const pollMs = 50
/** The share of a round's jobs that a warm-up uses. */
const warmUpShare = 0.3
const cpuMsMax = 1

/** One round of one side. Costs are those of one letter. */
export type SideResult = {
  jobsPerSecond: number
  /** Until the last letter was PENDING. */
  cost: Cost
  /** From then until nothing was left to do. */
  costAfterwards: Cost
}

export type Bench = { ground: Ground; settings: Settings; database: Database }

/**
 * Compares the pipeline with two-hop workers on four queues, all with the same concurrency. Then measures letters with
 * files, which have no rival.
 */
export function measurePipeline(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const { rounds, jobs, queue, concurrency } = settings
  return withDatabase(ground, { connectionsMax: 2 }, async (database) => {
    const bench = { ground, settings, database }
    const ours = await startPipeline(ground, settings, database)
    const rivals = await startRivals(ground, settings, database)
    const measured = new Map<Side, SideResult[]>()
    const costs = new Map<Side, CostReader>()
    for (const side of [ours, ...rivals.map((rival) => rival.side)]) {
      measured.set(side, [])
      costs.set(side, await openCostsOf(bench, side))
    }
    const measure = (side: Side, letters: number) =>
      measureSide(bench, { side, letters, readCosts: costs.get(side)! })

    ground.tell('warming up')
    for (const side of measured.keys()) await measure(side, Math.ceil(jobs * warmUpShare))
    for (let round = 1; round <= rounds; round++) {
      ground.tell(`round ${round} of ${rounds}`)
      for (const side of shuffled([...measured.keys()])) {
        measured.get(side)!.push(await measure(side, jobs))
      }
    }
    const scenario = `accepted to PENDING, ${jobs} letters, concurrency ${concurrency} (${queue})`
    const results = measured.get(ours)!
    return [
      { ...describeCosts(results), scenario },
      ...rivals.map((rival) => ({ ...compare(results, rival, measured), scenario })),
      await measureLettersWithFiles({ ...bench, pipeline: ours.program }),
    ]
  })
}

/** The queues and the object store count for every side, although not every side uses them. */
function openCostsOf({ ground, database }: Bench, { program, processName }: Side) {
  return openCosts(database.pool, {
    [processName]: program.pid,
    'object store': ground.objectStore.pid,
    ...(ground.redis && { Redis: ground.redis.pid }),
  })
}

/**
 * Measures from when all were accepted until the last is PENDING. Counting from the first PENDING job would ignore half
 * of the work of a side that does all first hops before any second one.
 */
export async function measureSide(
  { ground: { signal, tell }, settings }: Bench,
  { side, letters, readCosts }: { side: Side; letters: number; readCosts: CostReader },
): Promise<SideResult> {
  const deadline = performance.now() + settings.seconds * 1000
  const waitMore = async (what: string) => {
    await pause(pollMs, undefined, { signal })
    if (performance.now() < deadline) return
    throw new Error(`${side.name}: ${what} after ${settings.seconds} s`)
  }
  const acceptedAt = await side.accept(letters)
  const before = await readCosts()
  await side.enqueue?.()
  let { pending, lastAt } = await side.progress()
  while (pending < letters || !lastAt) {
    await waitMore(`${pending} of ${letters} jobs are PENDING`)
    ;({ pending, lastAt } = await side.progress())
  }
  const pendingCosts = await readCosts()
  while (side.isAtRest && !(await side.isAtRest())) await waitMore('still working')
  const after = await readCosts()
  const jobsPerSecond = (letters * 1000) / (lastAt.getTime() - acceptedAt.getTime())
  const cost = costBetween(before, pendingCosts, letters)
  tell(
    `  ${side.name}: ${Math.round(jobsPerSecond)} jobs/s, CPU ${cpuSum(cost).toFixed(2)} ms per job`,
  )
  return { jobsPerSecond, cost, costAfterwards: costBetween(pendingCosts, after, letters) }
}

function describeCosts(results: readonly SideResult[]): Omit<Comparison, 'scenario'> {
  const costs = results.map(({ cost }) => cost)
  const costsAfterwards = results.map(({ costAfterwards }) => costAfterwards)
  return {
    rival: '',
    measures: [],
    figures: [
      { name: 'jobs/s', ours: results.map(({ jobsPerSecond }) => jobsPerSecond) },
      ...cpuFigures('to PENDING', costs, { sense: 'at most', figure: cpuMsMax }),
      ...cpuFigures('afterwards', costsAfterwards),
      { name: 'WAL bytes per letter to PENDING', ours: costs.map(({ walBytes }) => walBytes) },
      {
        name: 'WAL bytes per letter afterwards',
        ours: costsAfterwards.map(({ walBytes }) => walBytes),
      },
    ],
    notes: [],
  }
}

function compare(
  ours: readonly SideResult[],
  { description, side, ratioMin }: Rival,
  measured: ReadonlyMap<Side, readonly SideResult[]>,
): Omit<Comparison, 'scenario'> {
  const theirs = measured.get(side)!
  const measure = (name: string, of: (result: SideResult) => number) => ({
    name,
    ours: ours.map(of),
    theirs: theirs.map(of),
  })
  return {
    rival: description,
    measures: [
      {
        ...measure('jobs/s', ({ jobsPerSecond }) => jobsPerSecond),
        target: { sense: 'at least', ratio: ratioMin },
      },
      measure('CPU ms per job', ({ cost }) => cpuSum(cost)),
      measure('WAL bytes per job', ({ cost }) => cost.walBytes),
    ],
    notes: [],
  }
}
