import type { PrintableAddress } from '@despatch/domain/address/address'
import { commentOf, commentOfNotes, type Finding } from '@despatch/domain/preflight/finding'
import {
  type PrintRunDespatchMethod,
  printRunDespatchMethods,
} from '@despatch/domain/print-run/despatch-method'
import { z } from 'zod'
import { findingSchema, renderFinding } from './finding.ts'
import { printableAddressSchema } from './print-job-response.ts'
import { type StoredUnknownMembers, unknownMemberFindings } from './unknown-members.ts'

const count = z.number().meta({ type: 'integer', minimum: 1 })

export const validationResponseSchema = z.object({
  verdict: z.enum(['accepted', 'rejected']).describe('The result that the print job would have'),
  comment: z.string().optional().describe('The comment that the print job would have'),
  recipientLines: z
    .array(z.string())
    .min(1)
    .max(2)
    .describe('The recipient as printed, on at most two lines of 45 characters'),
  printableAddress: printableAddressSchema,
  producedAs: z
    .enum(printRunDespatchMethods)
    .describe('Despatch method by which the letter would be produced. SECOND: second class'),
  pages: count.optional().describe('Pages of the letter. Present only if it would be accepted'),
  sheets: count.optional().describe('Sheets of paper. Present only if it would be accepted'),
  weightGrams: z
    .number()
    .optional()
    .describe(
      'Estimated weight with the default paper and envelope, because no site is chosen yet. Present only if it would be accepted',
    ),
  scanned: z
    .boolean()
    .describe(
      'Whether a virus scanner has scanned the files. The print job itself waits for the scan',
    ),
  findings: z.array(findingSchema).describe('All findings, in the order of the rules'),
})

export type ValidationResponse = z.output<typeof validationResponseSchema>

export type Validation = {
  printableAddress: PrintableAddress
  producedAs: PrintRunDespatchMethod
  /** Those of the letter. */
  findings: readonly Finding[]
  /** Those of the request, besides its unknown members. */
  requestFindings: readonly Finding[]
  unknownMembers: StoredUnknownMembers | null
  /** Absent if the letter is refused. */
  document?: { pages: number; sheets: number; weightGrams: number }
  scanned: boolean
}

export function renderValidation(validation: Validation): ValidationResponse {
  const { printableAddress, producedAs, findings, requestFindings, unknownMembers } = validation
  const { document, scanned } = validation
  const { recipientLine1, recipientLine2 } = printableAddress
  const comment = commentOf(findings) ?? commentOfNotes(findings)
  return {
    verdict: document ? 'accepted' : 'rejected',
    ...(comment !== undefined && { comment }),
    recipientLines: recipientLine2 ? [recipientLine1, recipientLine2] : [recipientLine1],
    printableAddress,
    producedAs,
    ...(document && {
      pages: document.pages,
      sheets: document.sheets,
      weightGrams: document.weightGrams,
    }),
    scanned,
    findings: [...unknownMemberFindings(unknownMembers), ...requestFindings, ...findings].map(
      renderFinding,
    ),
  }
}
