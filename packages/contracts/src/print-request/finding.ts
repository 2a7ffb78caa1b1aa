import type { Finding } from '@despatch/domain/preflight/finding'
import { type RuleId, rules } from '@despatch/domain/preflight/rules'
import { z } from 'zod'

const unit = z.enum(['mm', 'pages', 'sheets', 'bytes', 'pixels', 'objects', 'characters', 'g', 's'])
const amount = z
  .union([z.number(), z.array(z.number()).length(2)])
  .describe('A length or a count; of a size, width and height')

export const findingSchema = z.object({
  rule: z.string().describe('The rule, such as print-area; more may be added'),
  number: z.string().optional().describe('The number under which the rule is listed, such as P403'),
  severity: z
    .enum(['refusal', 'note'])
    .describe('refusal: the letter is rejected for it. note: told and nothing more'),
  fileId: z.string().optional().describe('The file at fault; absent when it is the letter'),
  page: z
    .number()
    .meta({ type: 'integer', minimum: 1 })
    .optional()
    .describe('In the file, or in the letter when no file is named'),
  rectangle: z
    .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
    .optional()
    .describe('Where on the page, in millimetres from its top left'),
  measured: z.object({ unit, value: amount }).optional(),
  allowed: z.object({ unit, min: amount.optional(), max: amount.optional() }).optional(),
  detail: z.string().describe('A sentence for a person'),
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
