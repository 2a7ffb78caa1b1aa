import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { recordKinds } from '../records/record-kinds.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { text } from '../text.ts'

export const recordSetStates = [
  'LOADING',
  'PUBLISHING',
  'CURRENT',
  'RETIRED',
  'DROPPED',
  'ABANDONED',
] as const

export const recordSetModes = ['replace', 'update'] as const

export const beginRecordSetSchema = z.object({
  kind: z.enum(recordKinds),
  mode: z
    .enum(recordSetModes)
    .describe(
      'replace: the rows replace the whole current set. update: the rows are applied on top of the current set',
    ),
  sourceSha256: text({ pattern: /^[0-9a-f]{64}$/ }).describe('SHA-256 that identifies the source'),
})
export type BeginRecordSetRequest = z.input<typeof beginRecordSetSchema>

export const recordSetSchema = z.object({
  recordSetId: z.string(),
  kind: z.enum(recordKinds),
  mode: z.enum(recordSetModes),
  state: z.enum(recordSetStates),
  sourceSha256: z.string(),
  rowsRead: z.int().min(0).describe('Number of rows of the source that were accepted or rejected'),
  rowsRejected: z.int().min(0),
  recordCount: ifKnown(z.int().min(0)).describe('Absent until the record set is published'),
  publishing: ifKnown(z.enum(['under-way', 'broken-off'])).describe(
    'Present in the state PUBLISHING. broken-off: publish the record set again to resume',
  ),
  createdBy: z.string(),
  createdAt: storedTime,
  publishedAt: ifKnown(storedTime),
  endedAt: ifKnown(storedTime).describe('When another record set replaced it, or it was abandoned'),
})
export type RecordSetResponse = z.output<typeof recordSetSchema>

export const recordSetsQuerySchema = z.object({
  kind: z.enum(recordKinds).exactOptional(),
  ...pageQuery,
  cursor: numericCursor(),
})

export const recordSetsSchema = z.object({
  recordSets: z.array(recordSetSchema).describe('Newest first'),
  nextCursor,
})
export type RecordSetsResponse = z.output<typeof recordSetsSchema>

const wholeNumber = /^\d{1,12}$/

export const ofRecordSet = z.object({
  recordSetId: text({ pattern: wholeNumber }).transform(Number),
})

export const loadRowsQuerySchema = z.object({
  fromRow: text({ pattern: wholeNumber })
    .transform(Number)
    .describe('Number of rows of the source before the first row of this request'),
})

export const rejectedRowSchema = z.object({
  row: z.int().min(0).describe('Position in the source, from 1'),
  reasons: z.array(z.string()).describe('Each reason names a member and contains no value'),
})
export type RejectResponse = z.output<typeof rejectedRowSchema>

export const loadedRowsSchema = z.object({
  rowsRead: z.int().min(0).describe('Number of rows of the source that have been read so far'),
  accepted: z.int().min(0).describe('Number of accepted rows in this request'),
  rejected: z.array(rejectedRowSchema).describe('Rejected rows in this request'),
})
export type LoadedRowsResponse = z.output<typeof loadedRowsSchema>

export const rejectsQuerySchema = z.object({ ...pageQuery, cursor: numericCursor() })

export const rejectsSchema = z.object({
  rejects: z.array(rejectedRowSchema).describe('Rejected rows in the order of the source'),
  nextCursor,
})
export type RejectsResponse = z.output<typeof rejectsSchema>

function numericCursor() {
  return text({ max: 19, pattern: /^\d{1,18}$/ })
    .exactOptional()
    .describe('nextCursor of the previous page')
}
