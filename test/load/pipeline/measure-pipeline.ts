import { setTimeout as pause } from 'node:timers/promises'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { startPipeline } from './our-pipeline.ts'
import type { Side } from './rivals.ts'
import { startRivals } from './rivals.ts'

const pollMs = 50
/** The share of a round's jobs that a warm-up uses. */
const warmUpShare = 0.3

/** Compares the pipeline with two-hop workers on three queues, all with the same concurrency. */
export function measurePipeline(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const { tell } = ground
  const { rounds, jobs, queue, concurrency } = settings
  return withDatabase(ground, { connectionsMax: 2 }, async (database) => {
    const ours = await startPipeline(ground, settings, database)
    const rivals = await startRivals(ground, settings, database)
    const sides = [ours, ...rivals.map(({ side }) => side)]
    const measured = new Map(sides.map((side) => [side, [] as number[]]))

    tell('warming up')
    for (const side of sides) await run(ground, settings, side, Math.ceil(jobs * warmUpShare))
    for (let round = 0; round < rounds; round++) {
      tell(`round ${round + 1} of ${rounds}`)
      for (let turn = 0; turn < sides.length; turn++) {
        const side = sides[(round + turn) % sides.length]!
        measured.get(side)!.push(await run(ground, settings, side, jobs))
      }
    }
    return rivals.map(({ name, side }) => ({
      scenario: `accepted to PENDING, ${jobs} letters, concurrency ${concurrency}`,
      rival: `two hops on ${name}${name === 'bullmq' ? ` (${queue})` : ''}`,
      measures: [
        {
          name: 'jobs/s',
          ours: measured.get(ours)!,
          theirs: measured.get(side)!,
          target: { sense: 'at least', ratio: name === 'bullmq' ? 1 : 2 },
        },
      ],
      notes: [],
    }))
  })
}

/**
 * Returns jobs per second, from when all were accepted until the last is PENDING. Counting from the first PENDING job
 * would ignore half of the work of a side that does all first hops before any second one.
 */
async function run(
  { signal, tell }: Ground,
  { seconds }: Settings,
  side: Side,
  jobs: number,
): Promise<number> {
  const deadline = performance.now() + seconds * 1000
  const acceptedAt = await side.accept(jobs)
  for (;;) {
    await pause(pollMs, undefined, { signal })
    const { pending, lastAt } = await side.progress()
    if (pending === jobs && lastAt) {
      const rate = (jobs * 1000) / (lastAt.getTime() - acceptedAt.getTime())
      tell(`  ${side.name}: ${Math.round(rate)} jobs/s`)
      return rate
    }
    if (performance.now() > deadline) {
      throw new Error(`${side.name} brought ${pending} of ${jobs} jobs to PENDING in ${seconds} s`)
    }
  }
}
