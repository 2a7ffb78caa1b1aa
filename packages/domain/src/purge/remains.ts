import { choosableRules } from '../preflight/contract-choice.ts'
import type { Finding } from '../preflight/finding.ts'
import { numberOf, rules } from '../preflight/rules.ts'
import type { StandardParams } from '../print-job/params.ts'
import { despatchPropertyRegistry } from '../print-run/despatch-property-registry.ts'

/** Replaces personal data in members that are required. */
const removedText = '********'

/**
 * Returns the standard params after a purge: jobType, templateReference and despatchMethod stay. Recipient and address
 * are masked, and the rest is removed.
 */
export function remainingStandardParams({
  jobType,
  templateReference,
  despatchMethod,
}: StandardParams): StandardParams {
  return {
    jobType,
    templateReference,
    recipientName: removedText,
    address: { unstructuredAddress: { line1: removedText, postcode: removedText } },
    ...(despatchMethod !== undefined && { despatchMethod }),
  }
}

/**
 * Returns the findings after a purge: the rule and its measurements stay. The sentence, which names files and fonts, is
 * replaced with the rule's own. Findings about the quality of the address are removed, even if a contract refuses the
 * letter for them, because they may reveal that a person has no address.
 */
export function remainingFindings(findings: readonly Finding[]): Finding[] {
  return findings
    .filter(({ rule }) => !choosableRules.includes(numberOf(rule)))
    .map(({ fileId: _, ...finding }) => ({ ...finding, detail: ruleSays(finding) }))
}

/**
 * Returns the comment after a purge: the sentence of the rule that refused. Null if a person wrote the comment, if only
 * the quality of the address was refused, or if there is none. The result is the same for findings that remain after a
 * purge.
 */
export function remainingComment(findings: readonly Finding[]): string | null {
  const refusal = remainingFindings(findings).find(({ severity }) => severity === 'refusal')
  return refusal?.detail ?? null
}

/**
 * Returns the reason of a timeline event after a purge: the rule's sentence, or why the step was parked. Everything
 * that people wrote is removed.
 */
export function remainingReason({
  transition,
  reason,
  findings,
}: {
  transition: string
  reason: string | null
  findings: readonly Finding[] | null
}): string | null {
  if (findings) return remainingComment(findings)
  return transition === 'park' ? reason : null
}

/** The keys of the despatch properties that remain after a purge. The values of other keys are free text. */
export const remainingDespatchProperties: readonly string[] = Object.keys(despatchPropertyRegistry)

/**
 * Returns the sentence of a rule. A timeline may contain findings of a later release, whose rules this release does not
 * know.
 */
function ruleSays({ rule }: Pick<Finding, 'rule'>): string {
  const known: { says: string } | undefined = rules[rule]
  return known?.says ?? removedText
}
