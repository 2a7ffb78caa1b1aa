import type { Finding } from './finding.ts'
import { numberOf, type RuleId, rules } from './rules.ts'

/** What a contract says about findings that are notes by default. `refusedRules`: numbers of rules, such as P503. */
export type FindingsChoice = { strict: boolean; refusedRules: readonly string[] }

/**
 * The rules about the quality of an address, and about the class of a letter abroad. Their findings are notes unless the
 * contract says otherwise.
 */
const choosableIds = [
  'address-left-out',
  'address-cut',
  'address-blank',
  'address-control',
  'address-postcode',
  'address-premise',
  'address-repeated',
  'address-no-abode',
  'address-country',
  'address-town',
  'address-damaged',
  'country-unknown',
  'class-abroad',
] as const satisfies readonly RuleId[]

/** The numbers of the rules for which a contract chooses between a note and a refusal. */
export const choosableRules: readonly string[] = choosableIds.map((id) => rules[id].number)

/**
 * Returns true if a contract refuses a letter for a finding of this rule. A strict contract refuses it for every rule
 * that a contract may choose, any other contract for the rules that it names. Returns false for all other rules, whose
 * findings have their own severity.
 */
export function refusesFinding({ strict, refusedRules }: FindingsChoice, rule: RuleId): boolean {
  const number = numberOf(rule)
  return choosableRules.includes(number) && (strict || refusedRules.includes(number))
}

/** Returns the findings with the severity that the contract chooses. */
export function judgeByContract(
  choice: FindingsChoice,
  findings: readonly Finding[],
): readonly Finding[] {
  return findings.map((finding) =>
    refusesFinding(choice, finding.rule) ? { ...finding, severity: 'refusal' } : finding,
  )
}
