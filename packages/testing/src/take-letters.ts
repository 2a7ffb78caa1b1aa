import type { Db } from '@despatch/store/database'
import { type TakenStep, takeSteps } from '@despatch/store/print-job/steps'

const leaseSeconds = 60

/** Leases these letters, as a worker does, and returns those that it takes, in the order of their keys. */
export async function takeLetters(db: Db, keys: readonly string[]): Promise<TakenStep[]> {
  const steps = await takeSteps(db, keys, leaseSeconds)
  return steps.toSorted((one, other) => (one.key < other.key ? -1 : 1))
}
