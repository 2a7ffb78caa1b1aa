import {
  type ContractResponse,
  putContractSchema,
} from '@despatch/contracts/administration/contract'
import { refusalTerms } from '@despatch/domain/contract/refusal-term'
import { renderTable } from '../table.ts'

type Change = { term: string; now: unknown; given: unknown }

/**
 * Returns the terms that would change. A term that only this release knows does not count unless the command gives it.
 * If the given terms are not valid here, no defaults are known, so each term counts that is not given as it is now. What
 * a contract may refuse stays as it is unless the command gives it.
 */
export function changesOf(existing: ContractResponse, terms: object): Change[] {
  const parsed = putContractSchema.safeParse(terms)
  const { jobType, templateReference, ...known } = existing
  const now: Readonly<Record<string, unknown>> = known
  const given: Readonly<Record<string, unknown>> = parsed.success ? parsed.data : { ...terms }
  return [...new Set([...Object.keys(now), ...Object.keys(terms)])]
    .filter((term) => !Object.hasOwn(refusalTerms, term) || Object.hasOwn(terms, term))
    .map((term) => ({ term, now: now[term], given: given[term] }))
    .filter((change) => show(change.now) !== show(change.given))
}

export function renderChanges(changes: readonly Change[]): string {
  const rows = changes.map(({ term, now, given }) => [term, show(now), show(given)])
  return renderTable(['term', 'now', 'given'], rows)
}

function show(value: unknown): string {
  return [value ?? '-'].flat().toSorted().join(' ') || '-'
}
