export type StepHistory = {
  /** Faults so far, this one included. */
  failures: number
  /** How often the step was taken since its last outcome, this time included: more than one means that workers died. */
  starts: number
}

const failuresMax = 8
const startsMax = 10
const firstDelaySeconds = 1
const delaySecondsMax = 300

/** Plans what follows a fault of ours: another try, later each time, and in the end a place on operations' list. */
export function planRetry({
  failures,
  starts,
}: StepHistory): { kind: 'retry'; seconds: number } | { kind: 'park' } {
  if (failures >= failuresMax || starts >= startsMax) return { kind: 'park' }
  return {
    kind: 'retry',
    seconds: Math.min(firstDelaySeconds * 2 ** (failures - 1), delaySecondsMax),
  }
}

/** True when workers keep dying over this step, so that it should be set aside before it kills another. */
export function killsWorkers({ starts }: Pick<StepHistory, 'starts'>): boolean {
  return starts > startsMax
}

/** Spreads what comes back after a fault that is over: up to 2 s. */
export function pauseSeconds(chance = Math.random()): number {
  return 2 * chance
}

/**
 * How long a step waits for a dependency at most: 120 to 180 s. The return of the dependency ends the wait earlier; this is
 * for when the process that would notice has died.
 */
export function waitSeconds(chance = Math.random()): number {
  return 120 + 60 * chance
}
