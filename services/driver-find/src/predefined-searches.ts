import type { FindRequest } from '@despatch/contracts/driver-find/find-request'
import { Problem } from '@despatch/domain/problem'
import { findRefusal } from '@despatch/uat-scenarios/find-scenarios'

/**
 * Throws the predefined result of a search by this last name, if there is one: a Problem, or an error that stands for a
 * fault of ours.
 */
export function refusePredefinedSearch({ lastName }: FindRequest['criteria']): void {
  const refusal = lastName === undefined ? undefined : findRefusal(lastName)
  if (!refusal) return
  const { outcome } = refusal
  if (outcome.kind === 'fault') throw new Error('this search is predefined to end in a fault')
  throw new Problem(outcome.problem, outcome.detail)
}
