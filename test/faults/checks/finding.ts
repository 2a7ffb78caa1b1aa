/** Something that must never be. `subject` is what it is about: a print job, a run, a document and its attempt, a callback. */
export type Finding<Rule extends string = string> = { rule: Rule; subject: string; detail: string }

/** What a rule finds. */
export type Found = [subject: string, detail: string]

/** Applies rules to facts. Pure: the same facts give the same findings, in the order of the rules. */
export function applyRules<Facts, Rule extends string>(
  rules: readonly { rule: Rule; check: (facts: Facts) => Found[] }[],
  facts: Facts,
): Finding<Rule>[] {
  return rules.flatMap(({ rule, check }) =>
    check(facts).map(([subject, detail]) => ({ rule, subject, detail })),
  )
}
