import type { RunOptions, RunReport } from '../run-under-faults.ts'
import { runUnderFaults } from '../run-under-faults.ts'
import { seededChance } from '../seeded-chance.ts'
import { planOutages } from './plan-outages.ts'
import { strike } from './strike.ts'

export type OutageOptions = RunOptions & {
  /** How long the object store is away, in milliseconds. */
  outageMs: number
  databaseRestarts: number
  lettersPerSecond: number
  /** Processes of the pipeline. */
  pipelines: number
  /** How long letters are posted before the outage, and after it, in milliseconds. */
  calmMs: number
  /** How soon after the outage, or after its submission, a letter is PENDING, in milliseconds. */
  recoveryMsMax: number
  /** The longest pause of a client that the service has not asked for, in milliseconds. */
  backoffMsMax: number
}

const calledBackShare = 0.25

/**
 * Posts letters over HTTP at a steady rate, while the object store is away and PostgreSQL and Redis are killed meanwhile.
 * Gives what the history breaks of the rules once everything that was accepted is PENDING and told, or time is up.
 */
export async function keepThroughOutages(options: OutageOptions): Promise<RunReport> {
  const { queue, seed, outageMs, databaseRestarts } = options
  const blows = planOutages({
    outageMs,
    databaseRestarts,
    queueRestarts: queue === 'redis' ? 1 : 0,
    chance: seededChance(seed, 'outages'),
  })
  return runUnderFaults(
    {
      ...options,
      goal: 'PENDING',
      deliverers: 1,
      calledBackShare,
      callbackStatuses: ['VALIDATING', 'PENDING'],
      strike: (world) => strike(blows, { world, outageMs }),
    },
    options,
  )
}
