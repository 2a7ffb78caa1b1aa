/**
 * A violation of a rule. `subject` names what it concerns: a print job, a run, a document and its attempt, or a
 * callback.
 */
export type Finding<Rule extends string = string> = { rule: Rule; subject: string; detail: string }

/** A violation that a rule's check returns. */
export type Found = [subject: string, detail: string]

/** Applies rules to facts. Pure: the same facts produce the same findings, in the order of the rules. */
export function applyRules<Facts, Rule extends string>(
  rules: readonly { rule: Rule; check: (facts: Facts) => Found[] }[],
  facts: Facts,
): Finding<Rule>[] {
  return rules.flatMap(({ rule, check }) =>
    check(facts).map(([subject, detail]) => ({ rule, subject, detail })),
  )
}
