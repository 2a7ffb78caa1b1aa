import type { TermChange } from '@despatch/domain/contract/term-changes'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { text } from '../text.ts'
import { contractSchema } from './contract.ts'

const value = z
  .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
  .optional()
  .describe('Absent: no value')
const termChanges = z
  .array(
    z.object({ term: z.string().describe('Member of the contract'), before: value, after: value }),
  )
  .describe('Terms that differ, by name')

export const contractPreviewSchema = z.object({
  effect: z
    .enum(['none', 'create', 'change', 'reactivate'])
    .describe('reactivate: a retired contract becomes active again, perhaps with other terms'),
  changes: termChanges,
  whyNot: z.string().optional().describe('Why the terms cannot change now. Absent: they can'),
})
export type ContractPreviewResponse = z.output<typeof contractPreviewSchema>

export const contractChangesQuerySchema = z.object({
  ...pageQuery,
  cursor: text({ max: 19, pattern: /^\d{1,18}$/ })
    .exactOptional()
    .describe('nextCursor of the previous page'),
})

export const contractChangeSchema = z.object({
  at: z.iso.datetime(),
  actor: z.string().describe('Who made the change: consumer:<id>, or a part of the system'),
  actorUserName: z.string().optional(),
  jobType: contractSchema.shape.jobType,
  templateReference: contractSchema.shape.templateReference,
  effect: z.enum(['create', 'change', 'retire']),
  changes: termChanges,
})
export const contractChangesSchema = z.object({
  contractChanges: z.array(contractChangeSchema).describe('Newest first'),
  nextCursor,
})

export type ListedContractChange = {
  at: Date
  actor: string
  actorUserName: string | null
  jobType: string
  templateReference: string
  effect: 'create' | 'change' | 'retire'
  changes: readonly TermChange[]
}

export function renderContractChange({
  at,
  actorUserName,
  changes,
  ...others
}: ListedContractChange): z.output<typeof contractChangeSchema> {
  return {
    at: at.toISOString(),
    ...others,
    ...(actorUserName !== null && { actorUserName }),
    changes: renderTermChanges(changes),
  }
}

/** The values are those of a contract. */
export function renderTermChanges(changes: readonly TermChange[]) {
  return changes as ContractPreviewResponse['changes']
}
