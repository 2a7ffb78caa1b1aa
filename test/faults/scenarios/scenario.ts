import type { DatabaseServer } from '../ground/database-server.ts'
import type { RunPlan } from '../run-under-faults.ts'

/** One fault that the system must survive, as a run of its own. */
export type Scenario = {
  /** As in docs/faults.md. */
  number: number
  /** What is done to it. */
  name: string
  /** The invariants, and what follows from them here. */
  holds: string
  /** `each`: once for each carrier of the queues. `once`: the fault touches no queue. */
  queues: 'each' | 'once' | 'redis'
  /** It is cheap, and part of every change's tests with its queues on this carrier. */
  smoke?: 'postgres' | 'redis'
  /** It needs a start of its own, or cannot be done again in one run: a soak leaves it out. */
  isOnce?: boolean
  /** Why this machine cannot run it; undefined when it can. */
  lacks?(): Promise<string | undefined>
  /** A PostgreSQL of its own, where the one that all share does not do. */
  startServer?(): Promise<DatabaseServer>
  plan: Partial<RunPlan> & Pick<RunPlan, 'strike'>
}

/** Short enough that a lost worker or wake-up costs seconds. */
const shortTimings = {
  DESPATCH_STEP_LEASE_SECONDS: '2',
  DESPATCH_SWEEP_INTERVAL_MS: '200',
  DESPATCH_RELAY_INTERVAL_MS: '50',
  DESPATCH_CALLBACK_POLL_MS: '100',
  DESPATCH_PRINT_RUN_AGE_MS: '500',
}

/** Completes the plan of a scenario: two of what works on letters, a factory, and letters that are all called back. */
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
