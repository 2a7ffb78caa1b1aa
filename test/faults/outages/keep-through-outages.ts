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
  /** The number of pipeline processes. */
  pipelines: number
  /** How long letters are posted before the outage, and again after it, in milliseconds. */
  calmMs: number
  /**
   * The maximum time until a letter is PENDING after the outage or after its submission, whichever is later. In
   * milliseconds.
   */
  recoveryMsMax: number
  /** The longest pause of a client when the service sends no Retry-After, in milliseconds. */
  backoffMsMax: number
}

const calledBackShare = 0.25

/**
 * Posts letters over HTTP at a steady rate, while the object store is away and PostgreSQL and Redis are killed. Ends
 * when every accepted letter is PENDING and its callbacks are delivered, or when the time is up. Returns the rules that
 * the history breaks.
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
