import type { PrintRun } from '@despatch/client/print-run'

type Deadline = Pick<PrintRun, 'expectedDespatchDate' | 'releasedAt'>

/**
 * Sorts runs by deadline, earliest first. Runs without a deadline come last. Runs with the same deadline are sorted by
 * release time.
 */
export function orderByDeadline<Run extends Deadline>(runs: readonly Run[]): Run[] {
  const keyOf = ({ expectedDespatchDate = '9999-12-31', releasedAt }: Deadline) =>
    `${expectedDespatchDate} ${releasedAt}`
  return runs.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}
