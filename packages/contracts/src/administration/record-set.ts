import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { recordKinds } from '../records/record-kinds.ts'
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
    .describe('replace: the rows are all there are; update: they are put over the current set'),
  sourceSha256: text({ pattern: /^[0-9a-f]{64}$/ }).describe('Tells a source from another'),
})
export type BeginRecordSetRequest = z.input<typeof beginRecordSetSchema>

export const recordSetSchema = z.object({
  recordSetId: z.string(),
  kind: z.enum(recordKinds),
  mode: z.enum(recordSetModes),
  state: z.enum(recordSetStates),
  sourceSha256: z.string(),
  rowsRead: z.int().min(0).describe('Rows of the source that have been taken or rejected'),
  rowsRejected: z.int().min(0),
  recordCount: z.int().min(0).optional().describe('Absent: not published yet'),
  publishing: z
    .enum(['under-way', 'broken-off'])
    .optional()
    .describe('Of a set in PUBLISHING. broken-off: publish it again to go on'),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  publishedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional().describe('When another took its place, or it was abandoned'),
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
    .describe('Rows of the source that stand before the first of these'),
})

const rejectSchema = z.object({
  row: z.int().min(0).describe('Its place in the source, counted from 1'),
  reasons: z.array(z.string()).describe('Each names a member, and none a value'),
})
export type RejectResponse = z.output<typeof rejectSchema>

export const loadedRowsSchema = z.object({
  rowsRead: z.int().min(0).describe('Rows of the source that have been read by now'),
  accepted: z.int().min(0).describe('Of these rows'),
  rejected: z.array(rejectSchema).describe('Of these rows'),
})
export type LoadedRowsResponse = z.output<typeof loadedRowsSchema>

export const rejectsQuerySchema = z.object({ ...pageQuery, cursor: numericCursor() })

export const rejectsSchema = z.object({
  rejects: z.array(rejectSchema).describe('In the order of the source'),
  nextCursor,
})
export type RejectsResponse = z.output<typeof rejectsSchema>

export type ListedRecordSet = {
  id: number
  kind: (typeof recordKinds)[number] | 'uat-driver'
  mode: (typeof recordSetModes)[number]
  state: (typeof recordSetStates)[number]
  sourceSha256: Buffer
  rowsRead: number
  rowsRejected: number
  recordCount: number | null
  isBeingPublished: boolean
  createdBy: string
  createdAt: Date
  publishedAt: Date | null
  endedAt: Date | null
}

export function renderRecordSet(set: ListedRecordSet): RecordSetResponse {
  const { recordCount, state, publishedAt, endedAt } = set
  return {
    recordSetId: String(set.id),
    kind: set.kind as RecordSetResponse['kind'],
    mode: set.mode,
    state,
    sourceSha256: set.sourceSha256.toString('hex'),
    rowsRead: set.rowsRead,
    rowsRejected: set.rowsRejected,
    ...(recordCount !== null && { recordCount }),
    ...(state === 'PUBLISHING' && {
      publishing: set.isBeingPublished ? ('under-way' as const) : ('broken-off' as const),
    }),
    createdBy: set.createdBy,
    createdAt: set.createdAt.toISOString(),
    ...(publishedAt !== null && { publishedAt: publishedAt.toISOString() }),
    ...(endedAt !== null && { endedAt: endedAt.toISOString() }),
  }
}

function numericCursor() {
  return text({ max: 19, pattern: /^\d{1,18}$/ })
    .exactOptional()
    .describe('The nextCursor of the page before')
}
