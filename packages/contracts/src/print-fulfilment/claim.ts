import { z } from 'zod'
import { integer } from '../text.ts'
import { manifestPath } from './paths.ts'
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
  leaseUntil: z.iso.datetime(),
})

export const claimResponseSchema = z.object({
  batchNumber: z.string(),
  state: z.literal('CLAIMED'),
  claimedAt: z.iso.datetime(),
  leaseUntil: z.iso
    .datetime()
    .describe('Acknowledge the run before this time. Afterwards it is offered again'),
  manifestVersion: z.number(),
  manifestDigest: z.string().describe('Digest of the manifest, as in the manifest itself'),
  ...controlTotals,
  manifest: z.string().describe('Path of the manifest'),
})
export type ClaimResponse = z.output<typeof claimResponseSchema>

export type StoredClaim = Omit<ClaimResponse, 'state' | 'claimedAt' | 'leaseUntil' | 'manifest'> & {
  claimedAt: Date
  leaseUntil: Date
}

/** Renders the response to a claim as bytes. They are stored and sent again whenever the claim is repeated. */
export function renderClaim(claim: StoredClaim): Uint8Array {
  const response: ClaimResponse = {
    batchNumber: claim.batchNumber,
    state: 'CLAIMED',
    claimedAt: claim.claimedAt.toISOString(),
    leaseUntil: claim.leaseUntil.toISOString(),
    manifestVersion: claim.manifestVersion,
    manifestDigest: claim.manifestDigest,
    documentCount: claim.documentCount,
    sheetCount: claim.sheetCount,
    pageCount: claim.pageCount,
    byteCount: claim.byteCount,
    manifest: manifestPath(claim.batchNumber),
  }
  return new TextEncoder().encode(JSON.stringify(response))
}
