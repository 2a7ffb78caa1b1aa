import type { ReleasedRun } from './fulfilment-client.ts'

/** Oldest deadline first; a run without one comes after those that have one, and of two alike the older first. */
export function orderByDeadline(runs: readonly ReleasedRun[]): ReleasedRun[] {
  const keyOf = ({ expectedDespatchDate = '9999-12-31', releasedAt }: ReleasedRun) =>
    `${expectedDespatchDate} ${releasedAt}`
  return runs.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}
