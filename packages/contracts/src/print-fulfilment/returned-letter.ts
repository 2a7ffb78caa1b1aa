import {
  type ReturnReasonCode,
  returnDispositions,
  returnReasonCodes,
  returnReasons,
} from '@despatch/domain/print-run/returned-letter'
import { z } from 'zod'
import { list } from '../list.ts'
import { customIssue, text } from '../text.ts'
import { documentId, instant } from './answers.ts'

const returnsMax = 2_500

const meanings = Object.entries(returnReasons)
  .map(([code, meaning]) => `${code} ${meaning}`)
  .join(', ')

export const returnedLetterSchema = z
  .object({
    returnId: text({ min: 1, max: 100 }).describe(
      'Chosen by the provider. The id identifies one return',
    ),
    documentId: documentId.exactOptional(),
    mailmarkItemId: text({ min: 1, max: 50 })
      .exactOptional()
      .describe('mailmarkItemId that the posting reported. Replaces documentId'),
    reasonCode: z
      .enum(returnReasonCodes as [ReturnReasonCode, ...ReturnReasonCode[]])
      .describe(meanings),
    disposition: z.enum(returnDispositions),
    scannedAt: instant,
  })
  .check(({ value, issues }) => {
    if ((value.documentId === undefined) !== (value.mailmarkItemId === undefined)) return
    const message = 'must be given unless mailmarkItemId is, and not with it'
    issues.push({ ...customIssue({ code: 'NotNull', message }, value), path: ['documentId'] })
  })

export const returnsRequestSchema = z.object({
  returns: list(returnedLetterSchema, { max: returnsMax, unique: ['returnId'] }),
})
export type ReturnsRequest = z.output<typeof returnsRequestSchema>

export const returnRefusals = [
  'unknown-document',
  'not-despatched',
  'return-id-reused',
  'already-returned',
] as const

export const returnsResponseSchema = z.object({
  results: z
    .array(
      z.object({
        returnId: z.string(),
        result: z.enum(['RECORDED', 'DUPLICATE', 'REFUSED']),
        refusal: z.enum(returnRefusals).optional(),
        detail: z.string().optional(),
      }),
    )
    .describe('One result for each return, in the order of the returns'),
})
export type ReturnsResponse = z.output<typeof returnsResponseSchema>
