import type { FieldFault } from '@despatch/domain/problem'
import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** Returns one violation for each wrong field of a search, with the rule it breaks. Never repeats a value. */
export function findFaults(issues: readonly Issue[], input: unknown): FieldFault[] {
  const faults = issues.map((issue) => faultOf(issue, input))
  return [...new Map(faults.map((fault) => [fault.field, fault])).values()]
}

function faultOf(issue: Issue, input: unknown): FieldFault {
  const field = issue.path.map(String).join('.')
  if (field === '') {
    return { field: 'body', code: 'Unreadable', detail: 'Failed to parse request body' }
  }
  if (field === 'criteria' && (input as { criteria?: unknown }).criteria === undefined) {
    return { field, code: 'NotEmpty', detail: `Missing required field - ${field}` }
  }
  return {
    field,
    code: codeOf(issue),
    detail: `Invalid format for field - ${field} (${ruleOf(issue)})`,
  }
}

function codeOf(issue: Issue): string {
  return issue.code === 'custom' ? String(issue.params?.code ?? 'InvalidFormat') : 'InvalidFormat'
}

function ruleOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return /^[aeiou]/.test(issue.expected) ? `an ${issue.expected}` : `a ${issue.expected}`
    case 'invalid_value':
      return `one of ${issue.values.join(', ')}`
    default:
      return issue.message
  }
}
