import { type RunOptions, type RunReport, runUnderFaults, type World } from './run-under-faults.ts'
import { scenarios } from './scenarios/all-scenarios.ts'
import { killInTurn } from './scenarios/blows.ts'
import { NotStruck, planOf, type Scenario } from './scenarios/scenario.ts'

/** Fewer letters than in a scenario: all of them remain in the database until the end. */
const lettersPerSecond = 4
const restMs = { min: 500, max: 4_000 }
const killMs = 5_000

/**
 * Applies random blows of the scenarios to the shared ground for `forMs` milliseconds, and judges the result at the
 * end. The seed repeats the sequence of blows, not how the processes interleave.
 */
export function soak(forMs: number, options: RunOptions): Promise<RunReport> {
  const striking = scenarios.filter((scenario) => isRepeatable(scenario, options.queue))
  return runUnderFaults(
    {
      ...planOf({ plan: { strike: async () => {} } }),
      lettersPerSecond,
      strike: async (world) => {
        const until = performance.now() + forMs
        while (performance.now() < until) {
          await strikeOnce(world, striking)
          await world.pause(restMs.min + world.chance() * (restMs.max - restMs.min))
        }
      },
    },
    options,
  )
}

async function strikeOnce(world: World, striking: readonly Scenario[]): Promise<void> {
  // One more than the number of scenarios: random killing is as frequent as each of them.
  const scenario = striking[Math.floor(world.chance() * (striking.length + 1))]
  if (!scenario) return killInTurn(world, world.fleet.members, { forMs: killMs })
  world.tell(`scenario ${scenario.number}: ${scenario.name}`)
  try {
    await scenario.plan.strike(world)
  } catch (error) {
    // other blows have many chances, and an hour is long
    if (!(error instanceof NotStruck)) throw error
    world.tell(`scenario ${scenario.number} did not strike: ${error.message}`)
  }
}

/** Scenarios that need their own start, or can happen only once, are excluded. */
function isRepeatable({ isOnce, queues }: Scenario, queue: 'postgres' | 'redis'): boolean {
  return !isOnce && (queues !== 'redis' || queue === 'redis')
}
