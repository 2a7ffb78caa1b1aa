import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { ifKnown, storedTime } from '../stored.ts'
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
  at: storedTime,
  actor: z.string().describe('Who made the change: consumer:<id>, or a part of the system'),
  actorUserName: ifKnown(z.string()),
  jobType: contractSchema.shape.jobType,
  templateReference: contractSchema.shape.templateReference,
  effect: z.enum(['create', 'change', 'retire']),
  changes: termChanges,
})
export const contractChangesSchema = z.object({
  contractChanges: z.array(contractChangeSchema).describe('Newest first'),
  nextCursor,
})

export type ContractChange = z.input<typeof contractChangeSchema>
