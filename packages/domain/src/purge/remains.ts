import type { Finding } from '../preflight/finding.ts'
import { rules } from '../preflight/rules.ts'
import type { StandardParams } from '../print-job/params.ts'
import { despatchPropertyRegistry } from '../print-run/despatch-property-registry.ts'

/** Stands where something personal was, for readers to whom it is not optional. */
export const removedText = '********'

/** What was asked for stays; for whom, where to and about what goes. */
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

/** The rule with its measures stays; the sentence that names files and fonts becomes that of the rule. */
export function remainingFindings(findings: readonly Finding[]): Finding[] {
  return findings.map(({ fileId: _, ...finding }) => ({ ...finding, detail: ruleSays(finding) }))
}

/** Why it was rejected, as the rule that refused says it. Null: words of somebody, or none. */
export function remainingComment(findings: readonly Finding[]): string | null {
  const refusal = findings.find(({ severity }) => severity === 'refusal')
  return refusal ? ruleSays(refusal) : null
}

/** Of a timeline: what the rule says, or why the step was set aside. The words of anybody go. */
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

/** The values of other keys are anybody's words. */
export const remainingDespatchProperties: readonly string[] = Object.keys(despatchPropertyRegistry)

/** A timeline may hold findings of a later release, whose rules this one does not know. */
function ruleSays({ rule }: Pick<Finding, 'rule'>): string {
  const known: { says: string } | undefined = rules[rule]
  return known?.says ?? removedText
}
