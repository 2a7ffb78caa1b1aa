import { z } from 'zod'
import { storedTime } from '../stored.ts'
import { integer } from '../text.ts'
import { controlTotals } from './print-run.ts'

export const claimRequestSchema = z
  .object({
    leaseSeconds: integer({ min: 60, max: 86_400 })
      .exactOptional()
      .describe('Time that the provider requests until its acknowledgement, in seconds'),
  })
  .nullish()

export const leaseRequestSchema = claimRequestSchema

export const leaseResponseSchema = z.object({
  batchNumber: z.string(),
  leaseUntil: storedTime,
})

export const claimResponseSchema = z.object({
  batchNumber: z.string(),
  state: z.literal('CLAIMED'),
  claimedAt: storedTime,
  leaseUntil: storedTime.describe(
    'Acknowledge the run before this time. Afterwards it is offered again',
  ),
  manifestVersion: z.number(),
  manifestDigest: z.string().describe('Digest of the manifest, as in the manifest itself'),
  ...controlTotals,
  manifest: z.string().describe('Path of the manifest'),
})
export type ClaimResponse = z.output<typeof claimResponseSchema>
