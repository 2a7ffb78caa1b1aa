import type { Finding } from '@despatch/domain/preflight/finding'
import { type RuleId, rules } from '@despatch/domain/preflight/rules'
import { z } from 'zod'

const unit = z.enum(['mm', 'pages', 'sheets', 'bytes', 'pixels', 'objects', 'characters', 'g', 's'])
const amount = z
  .union([z.number(), z.array(z.number()).length(2)])
  .describe('A length or a count. For a size: width and height')

export const findingSchema = z.object({
  rule: z.string().describe('Rule, such as print-area. New rules may be added'),
  number: z.string().optional().describe('Number of the rule in the rule list, such as P403'),
  severity: z
    .enum(['refusal', 'note'])
    .describe('refusal: the letter is rejected for this finding. note: for information only'),
  fileId: z
    .string()
    .optional()
    .describe('File that the finding is about. Absent when it is about the whole letter'),
  page: z
    .number()
    .meta({ type: 'integer', minimum: 1 })
    .optional()
    .describe('Page in the file, or in the letter when no file is named'),
  rectangle: z
    .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
    .optional()
    .describe('Area on the page, in millimetres from its top left corner'),
  measured: z.object({ unit, value: amount }).optional(),
  allowed: z.object({ unit, min: amount.optional(), max: amount.optional() }).optional(),
  detail: z.string().describe('Human-readable sentence'),
})

export type FindingResponse = z.output<typeof findingSchema>

/** Renders a finding with the number of its rule. */
export function renderFinding(finding: Finding): FindingResponse {
  const { rule, severity, fileId, page, rectangle, measured, allowed, detail } = finding
  return {
    rule,
    ...numberOf(rule),
    severity,
    ...(fileId !== undefined && { fileId }),
    ...(page !== undefined && { page }),
    ...(rectangle && { rectangle }),
    ...(measured && { measured: { unit: measured.unit, value: wireAmount(measured.value) } }),
    ...(allowed && {
      allowed: {
        unit: allowed.unit,
        ...(allowed.min !== undefined && { min: wireAmount(allowed.min) }),
        ...(allowed.max !== undefined && { max: wireAmount(allowed.max) }),
      },
    }),
    detail,
  }
}

/** A timeline may contain findings of a later release, whose rules this release does not know. */
function numberOf(rule: RuleId): { number?: string } {
  const known: { number: string } | undefined = rules[rule]
  return known ? { number: known.number } : {}
}

function wireAmount(value: number | readonly [number, number]): number | number[] {
  return typeof value === 'number' ? value : [...value]
}
