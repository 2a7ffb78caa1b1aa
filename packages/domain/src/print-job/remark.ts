import { type RefusalTerm, refusesAt, refusesFrom } from '../contract/refusal-term.ts'
import type { RuleId } from '../preflight/rules.ts'
import type { FieldFault } from '../problem.ts'

/** Something about a submission that is accepted and reported: in the answer, and as a note of the rule. */
export type Remark = FieldFault & { rule: RuleId }

/** What is found in a submission. Any fault refuses it. */
export type Found = { faults: FieldFault[]; remarks: Remark[] }

/**
 * Adds what is found to the faults if the contract refuses it, and otherwise to the remarks, with the consequence and
 * the day from which the contract refuses it, if there is one.
 */
export function refuseOrReport(
  found: Found,
  { rule, consequence, ...fault }: Remark & { consequence?: string },
  { term, now }: { term: RefusalTerm; now: Date },
): void {
  if (refusesAt(term, now)) {
    found.faults.push(fault)
    return
  }
  const day = refusesFrom(term, now)
  const sentences = [
    fault.detail,
    ...(consequence === undefined ? [] : [consequence]),
    ...(day === undefined ? [] : [`From ${day} it is refused.`]),
  ]
  found.remarks.push({ ...fault, rule, detail: sentences.join(' ') })
}
