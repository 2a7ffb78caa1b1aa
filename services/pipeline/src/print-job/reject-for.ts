import { commentOf, type Finding, findingsToReport } from '@despatch/domain/preflight/finding'
import type { Outcome } from './stage.ts'

/**
 * Rejects a letter for its findings, reported in the order of the rules. Throws if none of them is a refusal, which is
 * a fault of ours.
 */
export function rejectFor(found: readonly Finding[]): Extract<Outcome, { kind: 'reject' }> {
  const findings = findingsToReport(found)
  const comment = commentOf(findings)
  if (comment === undefined) throw new Error('A letter is refused without a reason')
  return { kind: 'reject', comment, findings }
}
