import type { Finding } from '@despatch/domain/preflight/finding'
import { type RuleId, rules } from '@despatch/domain/preflight/rules'
import { sentences } from './sentences.ts'

/**
 * Keeps the first findings, and for each rule among the rest one finding that counts the pages. So every rule that
 * refuses is reported.
 */
export function boundFindings(findings: readonly Finding[], findingsMax: number): Finding[] {
  const rest = Map.groupBy(findings.slice(findingsMax), ({ rule }) => rule)
  return [...findings.slice(0, findingsMax), ...[...rest].map(countPages)]
}

function countPages([rule, findings]: [RuleId, Finding[]]): Finding {
  const { fileId, page } = findings[0]!
  const severity = findings.some((each) => each.severity === 'refusal') ? 'refusal' : 'note'
  const pages = new Set(findings.map((each) => each.page)).size
  return {
    rule,
    severity,
    ...(fileId !== undefined && { fileId }),
    ...(page !== undefined && { page }),
    measured: { unit: 'pages', value: pages },
    detail: sentences.more({ fileId, page: page ?? 1 }, { pages, says: rules[rule].says }),
  }
}
