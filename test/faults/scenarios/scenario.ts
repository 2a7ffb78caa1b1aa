import type { DatabaseServer } from '../ground/database-server.ts'
import type { RunPlan } from '../run-under-faults.ts'

/** One fault that the system must survive, as a separate run. */
export type Scenario = {
  /** The number in docs/faults.md. */
  number: number
  /** The fault. */
  name: string
  /** The invariants that must hold, and what follows from them here. */
  holds: string
  /** `each`: once for each queue backend. `once`: the fault touches no queue. */
  queues: 'each' | 'once' | 'redis'
  /** The scenario is cheap. Every change's tests include it; those of the full loop with its queues on this backend. */
  smoke?: 'postgres' | 'redis'
  /** The scenario needs its own start, or cannot be repeated within a run. A soak leaves it out. */
  isOnce?: boolean
  /** Returns why this machine cannot run it, or undefined if it can. */
  lacks?(): Promise<string | undefined>
  /** Starts a separate PostgreSQL, for a scenario that the shared one does not suit. */
  startServer?(): Promise<DatabaseServer>
  plan: Partial<RunPlan> & Pick<RunPlan, 'strike'>
}

/**
 * The order of events that a scenario forces did not come about, for example because the machine is busy. Nothing was
 * proven, and nothing is wrong.
 */
export class NotStruck extends Error {}

/** So short that a lost worker or nudge costs only seconds. */
const shortTimings = {
  DESPATCH_STEP_LEASE_SECONDS: '2',
  DESPATCH_SWEEP_INTERVAL_MS: '200',
  DESPATCH_PRINT_RUN_AGE_MS: '500',
}

/**
 * Completes the plan of a scenario with the defaults: two pipelines, two deliverers, a factory, and callbacks for every
 * letter.
 */
export function planOf({ plan }: Pick<Scenario, 'plan'>): RunPlan {
  return {
    goal: 'DESPATCHED',
    pipelines: 2,
    deliverers: 2,
    lettersPerSecond: 8,
    calledBackShare: 1,
    backoffMsMax: 1_000,
    calmMs: 1_000,
    recoveryMsMax: 30_000,
    ...plan,
    settings: { ...shortTimings, ...plan.settings },
  }
}
