import type { ReleasedRun } from './fulfilment-client.ts'

type Deadline = Pick<ReleasedRun, 'expectedDespatchDate' | 'releasedAt'>

/** Oldest deadline first; a run without one comes after those that have one, and of two alike the older first. */
export function orderByDeadline<Run extends Deadline>(runs: readonly Run[]): Run[] {
  const keyOf = ({ expectedDespatchDate = '9999-12-31', releasedAt }: Deadline) =>
    `${expectedDespatchDate} ${releasedAt}`
  return runs.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}
