import {
  despatchPropertyKeyCharactersMax,
  despatchPropertyValueCharactersMax,
} from '@despatch/domain/print-run/despatch-properties'
import { z } from 'zod'
import { list } from '../list.ts'
import { customIssue, text } from '../text.ts'
import { documentsMax } from './acknowledgement.ts'

const propertiesMax = 100
/** Documents with something of their own to be told; a posting of more is made in parts. */
export const postedDetailsMax = 10_000

const documentId = text({ min: 1, max: 50 })

const despatchProperty = z
  .object({
    key: text({ min: 1, max: despatchPropertyKeyCharactersMax }),
    value: text({ min: 1, max: despatchPropertyValueCharactersMax }),
  })
  .check(({ value, issues }) => {
    if (value.key !== 'totalSheets' || /^[1-9]\d{0,5}$/.test(value.value)) return
    const message = 'must be the text of a whole number for the key totalSheets'
    issues.push({ ...customIssue({ code: 'Pattern', message }, value.value), path: ['value'] })
  })

const despatchProperties = list(despatchProperty, { max: propertiesMax, unique: ['key'] })
  .exactOptional()
  .describe(
    'Told to the consumer. totalSheets, postageClass and mailingProduct are filled in where they are absent',
  )

const documentIds = z
  .array(documentId)
  .min(1)
  .max(documentsMax)
  .check(({ value, issues }) => {
    const seen = new Set<string>()
    value.forEach((id, index) => {
      if (seen.has(id)) {
        const repeat = { code: 'Duplicate', message: 'must be unique within the list' }
        issues.push({ ...customIssue(repeat, value), path: [index] })
      }
      seen.add(id)
    })
  })

const postedDocument = z.object({
  documentId,
  serialNumber: text({ min: 1, max: 255 }).exactOptional(),
  despatchProperties,
})

const postingMembers = z.object({
  batchNumber: text({ min: 1, max: 50 }),
  carrier: text({ min: 1, max: 255 }),
  handoverAt: z.iso
    .datetime({ offset: true, message: 'must be a date and time such as 2026-01-31T17:30:00Z' })
    .describe('When the carrier took the post'),
  manifestNumber: text({ min: 1, max: 255 }).exactOptional().describe('Of the carrier'),
  documentIds: documentIds
    .exactOptional()
    .describe('Absent: all of the run that are neither refused nor in another posting'),
  despatchProperties,
  documents: list(postedDocument, { max: postedDetailsMax, unique: ['documentId'] })
    .exactOptional()
    .describe('What is particular to some of the documents'),
})
/** A document with something of its own to be told must be one that the posting covers. */
export const postingRequestSchema = postingMembers.check(({ value, issues }) => {
  if (!value.documentIds) return
  const covered = new Set(value.documentIds)
  const notCovered = { code: 'NotFound', message: 'must be one of documentIds' }
  value.documents?.forEach(({ documentId }, index) => {
    if (covered.has(documentId)) return
    const path = ['documents', index, 'documentId']
    issues.push({ ...customIssue(notCovered, value), path })
  })
})
export type PostingRequest = z.output<typeof postingRequestSchema>

export const postingResponseSchema = z.object({
  postingId: z.string(),
  batchNumber: z.string(),
  state: z.enum(['SAVED', 'CONFIRMED']),
  documentCount: z.number(),
  sheetCount: z.number(),
  confirmedAt: z.iso.datetime().optional(),
})
export type PostingResponse = z.output<typeof postingResponseSchema>

export type StoredPosting = {
  postingId: string
  batchNumber: string
  documentCount: number
  sheetCount: number
  confirmedAt: Date | null
}

export function renderPosting(posting: StoredPosting): PostingResponse {
  const { postingId, batchNumber, documentCount, sheetCount, confirmedAt } = posting
  return {
    postingId,
    batchNumber,
    state: confirmedAt ? 'CONFIRMED' : 'SAVED',
    documentCount,
    sheetCount,
    ...(confirmedAt && { confirmedAt: confirmedAt.toISOString() }),
  }
}
