type StepHistory = {
  /** Number of faults so far, including this one. */
  failures: number
  /**
   * How often the step was taken since its last outcome, including this time. More than one means that workers died.
   */
  starts: number
}

const failuresMax = 8
const startsMax = 10
const firstDelaySeconds = 1

/** Decides what happens after a fault of ours: a retry with a growing delay, or parking after too many faults. */
export function planRetry({
  failures,
  starts,
}: StepHistory): { kind: 'retry'; seconds: number } | { kind: 'park' } {
  if (failures >= failuresMax || starts >= startsMax) return { kind: 'park' }
  return { kind: 'retry', seconds: firstDelaySeconds * 2 ** (failures - 1) }
}

/** Returns true if workers keep dying over this step. It must then be parked before it kills another. */
export function killsWorkers({ starts }: Pick<StepHistory, 'starts'>): boolean {
  return starts > startsMax
}

/** Returns a random delay of up to 2 seconds, which spreads the retries after a fault has ended. */
export function pauseSeconds(chance = Math.random()): number {
  return 2 * chance
}

/**
 * Returns how long a step waits for a dependency at most: 120 to 180 seconds. The return of the dependency ends the
 * wait earlier. The limit matters if the process that would notice has died.
 */
export function waitSeconds(chance = Math.random()): number {
  return 120 + 60 * chance
}
