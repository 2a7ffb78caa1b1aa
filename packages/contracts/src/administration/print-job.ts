import type { PrintableAddress } from '@despatch/domain/address/address'
import type { Addressee } from '@despatch/domain/address/addressee'
import { type PossibleAction, printJobActions } from '@despatch/domain/print-job/actions'
import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import { nextCursor, pageBody } from '../page.ts'
import { addressSchema } from '../print-request/address.ts'
import { callbackSchema, renderCallback, type StoredCallback } from '../print-request/callback.ts'
import {
  printJobEventSchema,
  renderPrintJobEvents,
  type StoredPrintJobEvent,
} from '../print-request/print-job-events.ts'
import { recipientNameSchema } from '../print-request/print-job-request.ts'
import { printableAddressSchema } from '../print-request/print-job-response.ts'
import { text } from '../text.ts'
import { reason, withoutNulls } from './print-run.ts'

export const ofPrintJob = z.object({
  printJobKey: z.uuid().describe('The key of the print job, as lists tell it'),
})

/** What operators can filter print jobs by. */
export const printJobStandings = ['parked', 'held', 'failing'] as const

export const findPrintJobsSchema = z.object({
  find: text({ min: 1, max: 255 })
    .exactOptional()
    .describe(
      'An id of a print job, a business identifier, a batch number, a document id, a correlation id, a postcode or the id of a callback',
    ),
  status: z.enum(printJobStatuses).exactOptional(),
  consumerId: z.uuid().exactOptional(),
  only: z
    .enum(printJobStandings)
    .exactOptional()
    .describe(
      'parked: set aside after failures of ours. held: waits for somebody. failing: is tried again',
    ),
  ...pageBody,
  cursor: z.uuid().exactOptional().describe('The nextCursor of the page before'),
})
export type FindPrintJobsRequest = z.input<typeof findPrintJobsSchema>

const instant = z.iso.datetime()
const isTrue = z.boolean()

export const listedPrintJobSchema = z.object({
  printJobKey: z.string(),
  id: z.string(),
  consumerId: z.string(),
  userName: z.string().describe('Of the consumer'),
  status: z.enum(printJobStatuses),
  createdAt: instant,
  updatedAt: instant,
  batchNumber: z.string().optional(),
  documentId: z.string().optional(),
  heldAt: instant.optional(),
  parkedAt: instant.optional(),
  deletedAt: instant.optional(),
  failure: z.string().optional().describe('Class of the last failure of ours'),
})
export type ListedPrintJobResponse = z.output<typeof listedPrintJobSchema>

export const foundPrintJobsSchema = z.object({
  printJobs: z
    .array(listedPrintJobSchema)
    .describe(
      'The newest first. What can only be looked for among many is looked for stretch by stretch: a page may have fewer than ' +
        'the limit, or none, and a nextCursor all the same',
    ),
  nextCursor,
})
export type FoundPrintJobsResponse = z.output<typeof foundPrintJobsSchema>

const addresseeSchema = z.object({ recipientName: recipientNameSchema, address: addressSchema })

const shownEventSchema = printJobEventSchema.extend({
  actor: z
    .string()
    .describe('Who or what did it: consumer, consumer:id of an operator, a stage, or a provider'),
  actorUserName: z.string().optional().describe('Of an actor who is a user'),
})

export const shownPrintJobSchema = listedPrintJobSchema.extend({
  correlationId: z.string(),
  jobType: z.string(),
  templateReference: z.string(),
  businessIdentifier: z.string().optional(),
  despatchMethod: z.string().optional(),
  comment: z.string().optional(),
  notBefore: instant.optional(),
  heldBy: z.string().optional(),
  heldByUserName: z.string().optional().describe('Of an operator who holds it'),
  holdReason: z.string().optional(),
  printableAddress: printableAddressSchema.optional(),
  submittedAddress: addresseeSchema
    .optional()
    .describe('As its consumer submitted it; absent once it has been removed'),
  addressOverride: addresseeSchema
    .optional()
    .describe('As operations have corrected it: the letter is made for it'),
  addressOverriddenAt: instant.optional().describe('When it was last corrected'),
  fulfilmentJobId: z.string().optional(),
  printLocation: z.string().optional(),
  serialNumber: z.string().optional(),
  runState: z.string().optional(),
  purgedAt: instant.optional(),
  pages: z.number().optional().describe('Of the letter, once it is made'),
  files: z.array(
    z.object({
      fileId: z.string(),
      source: z.string(),
      mediaType: z.string().optional(),
      bytes: z.number().optional(),
      sha256: z.string().optional(),
      isPinned: isTrue,
    }),
  ),
  events: z.array(shownEventSchema),
  callbacks: z.array(callbackSchema),
  actions: z
    .array(
      z.object({
        action: z.enum(printJobActions),
        isPossible: isTrue,
        whyNot: z.string().optional(),
      }),
    )
    .describe('What may be done now, and of the others why not'),
})
export type ShownPrintJobResponse = z.output<typeof shownPrintJobSchema>

export const printJobReasonSchema = z.object({ reason })

export const overrideAddressSchema = z.object({
  recipientName: recipientNameSchema.exactOptional().describe('Absent: it stays as it is'),
  address: addressSchema,
  reason,
})
export type OverrideAddressRequest = z.input<typeof overrideAddressSchema>

/** A print job as stored. Null means not known (yet). */
export type StoredOverseenPrintJob = {
  key: string
  id: string
  consumerId: string
  userName: string
  status: PrintJobStatus
  createdAt: Date
  updatedAt: Date
} & {
  [Name in 'batchNumber' | 'documentId' | 'failure']: string | null
} & { [Name in 'heldAt' | 'parkedAt' | 'deletedAt']: Date | null }

export type StoredShownPrintJob = StoredOverseenPrintJob & {
  correlationId: string
  jobType: string
  templateReference: string
  printableAddress: PrintableAddress | null
  submittedAddress: Addressee | null
  addressOverride: Addressee | null
  addressOverriddenAt: Date | null
  notBefore: Date | null
  purgedAt: Date | null
  pages: number | null
  files: readonly {
    fileId: string
    source: string
    mediaType: string | null
    bytes: number | null
    sha256: string | null
    isPinned: boolean
  }[]
} & {
  [Name in
    | 'businessIdentifier'
    | 'despatchMethod'
    | 'comment'
    | 'heldBy'
    | 'heldByUserName'
    | 'holdReason'
    | 'fulfilmentJobId'
    | 'printLocation'
    | 'serialNumber'
    | 'runState']: string | null
}

type StoredShownEvent = StoredPrintJobEvent & { actorUserName: string | null }

export function renderListedPrintJob(job: StoredOverseenPrintJob): ListedPrintJobResponse {
  const { key: printJobKey, ...others } = job
  return listedPrintJobSchema.parse(withoutNulls({ printJobKey, ...others }))
}

/** Renders a print job with everything related to it, for an operator. */
export function renderShownPrintJob(
  job: StoredShownPrintJob,
  {
    events,
    callbacks,
    actions,
  }: {
    events: readonly StoredShownEvent[]
    callbacks: readonly StoredCallback[]
    actions: readonly PossibleAction[]
  },
): ShownPrintJobResponse {
  const { key: printJobKey, files, ...others } = job
  return shownPrintJobSchema.parse({
    ...withoutNulls({ printJobKey, ...others }),
    files: files.map(withoutNulls),
    events: renderEvents(job.id, events),
    callbacks: callbacks.map(renderCallback),
    actions: actions.map(({ action, whyNot }) => ({
      action,
      isPossible: whyNot === null,
      ...(whyNot !== null && { whyNot }),
    })),
  })
}

/** The events that the consumer sees, with the operator who caused each. */
function renderEvents(id: string, events: readonly StoredShownEvent[]) {
  const actors = new Map(
    events.map(({ sequence, actor, actorUserName }) => [sequence, { actor, actorUserName }]),
  )
  return renderPrintJobEvents(id, events).events.map((event) =>
    withoutNulls({ ...event, ...actors.get(event.sequence)! }),
  )
}
