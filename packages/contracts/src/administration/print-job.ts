import type { PrintableAddress } from '@despatch/domain/address/address'
import type { Addressee } from '@despatch/domain/address/addressee'
import type { PossibleAction } from '@despatch/domain/operator-action/operator-action'
import {
  type PrintJobAction,
  printJobActionNames,
} from '@despatch/domain/operator-action/print-job-actions'
import { rules } from '@despatch/domain/preflight/rules'
import { type Lateness, latenesses } from '@despatch/domain/print-job/lateness'
import type { StandardParams } from '@despatch/domain/print-job/params'
import {
  type PrintJobStatus,
  printJobFilters,
  printJobStatuses,
} from '@despatch/domain/print-job/status'
import {
  type PrintRunDespatchMethod,
  printRunDespatchMethods,
} from '@despatch/domain/print-run/despatch-method'
import { z } from 'zod'
import { moment } from '../moment.ts'
import { nextCursor, pageBody } from '../page.ts'
import { possibleActionsSchema, renderPossibleActions } from '../possible-actions.ts'
import { addressSchema } from '../print-request/address.ts'
import { callbackSchema, renderCallback, type StoredCallback } from '../print-request/callback.ts'
import {
  printJobEventSchema,
  renderPrintJobEvents,
  type StoredPrintJobEvent,
} from '../print-request/print-job-events.ts'
import { recipientNameSchema, standardParamsSchema } from '../print-request/print-job-request.ts'
import { printableAddressSchema } from '../print-request/print-job-response.ts'
import { customIssue, text } from '../text.ts'
import { reason, withoutNulls } from './print-run.ts'

export const ofPrintJob = z.object({
  printJobKey: z.uuid().describe('Key of the print job, as in lists'),
})

const ruleNumbers = Object.values(rules).map(({ number }) => number)

/** No letter is due outside these years. */
const dueDate = z.iso
  .date()
  .refine((date) => date >= '2000-01-01' && date <= '2100-12-31', 'must be from 2000 to 2100')

/** The filters of print jobs. A print job must match all of them. */
export const printJobFilterFields = {
  find: text({ min: 1, max: 255 })
    .exactOptional()
    .describe(
      'Id of a print job, batch number, document id or id of a callback. Otherwise a business identifier, a correlation ' +
        'id, a full postcode, or words of the recipient or organisation name, with or without a full postcode after ' +
        'them. A letter must have all the words, each of them whole. Accents, capitals and titles do not count',
    ),
  status: z.enum(printJobStatuses).exactOptional(),
  statuses: z
    .array(z.enum(printJobStatuses))
    .min(1)
    .max(printJobStatuses.length)
    .exactOptional()
    .describe('One of these statuses'),
  consumerId: z.uuid().exactOptional(),
  only: z
    .enum(printJobFilters)
    .exactOptional()
    .describe(
      'parked: set aside after faults of ours. held: waits for a person. failing: is being retried. at-risk: may miss ' +
        'its due date. overdue: not despatched, and its due date is over',
    ),
  rule: z
    .enum(ruleNumbers)
    .exactOptional()
    .describe('Number of a preflight rule, such as P107, for which the print job was rejected'),
  createdFrom: moment.exactOptional().describe('Inclusive start of the time of acceptance'),
  createdTo: moment.exactOptional().describe('Exclusive end of the time of acceptance'),
  dueFrom: dueDate
    .exactOptional()
    .describe('First London date on which it is due, from 2000 to 2100'),
  dueTo: dueDate
    .exactOptional()
    .describe('Last London date on which it is due, inclusive, from 2000 to 2100'),
}

/** Refuses `status` with `statuses`. A filter that is misspelt is refused too, because otherwise it would not filter. */
export function checkFilters({ value, issues }: z.core.ParsePayload<Filters>): void {
  if (value.status === undefined || value.statuses === undefined) return
  const message = 'must not be given with statuses'
  issues.push({ ...customIssue({ code: 'Invalid', message }, value.status), path: ['status'] })
}

type Filters = z.output<z.ZodObject<typeof printJobFilterFields>>

export const countPrintJobsSchema = z.strictObject(printJobFilterFields).check(checkFilters)
export type CountPrintJobsRequest = z.output<typeof countPrintJobsSchema>

export const printJobCountSchema = z.object({
  count: z.number().int(),
  isAtLeast: z.boolean().describe('True if there may be more: not all were counted'),
})
export type PrintJobCountResponse = z.output<typeof printJobCountSchema>

export const listPrintJobsSchema = z
  .strictObject({
    ...printJobFilterFields,
    order: z
      .enum(['newest', 'oldest'])
      .default('newest')
      .describe('By time of acceptance. With find, only newest first is possible'),
    ...pageBody,
    cursor: z.uuid().exactOptional().describe('nextCursor of the previous page'),
  })
  .check(checkFilters, ({ value, issues }) => {
    if (value.find === undefined || value.order === 'newest') return
    const message = 'must be newest with find'
    issues.push({ ...customIssue({ code: 'Invalid', message }, value.order), path: ['order'] })
  })
export type ListPrintJobsRequest = z.input<typeof listPrintJobsSchema>

const instant = z.iso.datetime()
const isTrue = z.boolean()

export const listedPrintJobSchema = z.object({
  printJobKey: z.string(),
  id: z.string(),
  consumerId: z.string(),
  userName: z.string().describe('User name of the consumer'),
  consumerName: z.string(),
  status: z.enum(printJobStatuses),
  createdAt: instant,
  updatedAt: instant,
  batchNumber: z.string().optional(),
  documentId: z.string().optional(),
  heldAt: instant.optional(),
  parkedAt: instant.optional(),
  deletedAt: instant.optional(),
  failure: z.string().optional().describe('Class of our last fault'),
  comment: z.string().optional().describe('Why it was rejected, or a note about it'),
  businessIdentifier: z
    .string()
    .optional()
    .describe("The consumer's own reference. Absent once it has been removed"),
  recipientName: z.string().optional().describe('Absent once it has been removed'),
  postcode: z.string().optional().describe('Absent once it has been removed'),
  dueDate: z.iso
    .date()
    .optional()
    .describe('London date on which it must be despatched. Absent: it is due on no date'),
  lateness: z
    .enum(latenesses)
    .optional()
    .describe('How it stands against its due date. Absent: it is due on no date'),
})
export type ListedPrintJobResponse = z.output<typeof listedPrintJobSchema>

export const listedPrintJobsSchema = z.object({
  printJobs: z
    .array(listedPrintJobSchema)
    .describe(
      'Newest first. Some searches scan many print jobs in sections. A page may then contain fewer items than the ' +
        'limit, or none, and still have a nextCursor',
    ),
  nextCursor,
  isIndexing: isTrue
    .optional()
    .describe(
      'True while print jobs accepted before an upgrade, or with an address corrected just now, are still being ' +
        'indexed: these are not found by name yet',
    ),
})
export type ListedPrintJobsResponse = z.output<typeof listedPrintJobsSchema>

export const addresseeSchema = z.object({
  recipientName: recipientNameSchema,
  address: addressSchema,
})

export const printJobDetailsEventSchema = printJobEventSchema.extend({
  actor: z
    .string()
    .describe(
      'Who or what caused the event: consumer, consumer:id of an operator, a stage, or a provider',
    ),
  actorUserName: z.string().optional().describe('User name of the actor, if it is a user'),
})

export const printJobDetailsSchema = listedPrintJobSchema.extend({
  correlationId: z.string(),
  jobType: z.string(),
  templateReference: z.string(),
  despatchMethod: z.string().optional().describe('As submitted'),
  submittedParams: standardParamsSchema
    .omit({ recipientName: true, address: true, handlingInstruction: true })
    .describe('standardParams without the recipient, the address and the handling instruction'),
  producedAs: z
    .enum(printRunDespatchMethods)
    .describe(
      'Despatch method by which the letter is produced. SECOND: second class. A letter to an international address has no class of the United Kingdom',
    ),
  notBefore: instant.optional(),
  heldBy: z.string().optional(),
  heldByUserName: z
    .string()
    .optional()
    .describe('User name of the operator who holds the print job'),
  holdReason: z.string().optional(),
  printableAddress: printableAddressSchema.optional(),
  submittedAddress: addresseeSchema
    .optional()
    .describe('Address that the consumer submitted. Absent once it has been removed'),
  addressOverride: addresseeSchema
    .optional()
    .describe('Address as operations corrected it. The letter is made for this address'),
  addressOverriddenAt: instant.optional().describe('When the address was last corrected'),
  fulfilmentJobId: z.string().optional(),
  printLocation: z.string().optional(),
  serialNumber: z.string().optional(),
  runState: z.string().optional(),
  purgedAt: instant.optional(),
  pages: z.number().optional().describe('Number of pages in the letter, once it is made'),
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
  events: z.array(printJobDetailsEventSchema),
  callbacks: z.array(callbackSchema),
  actions: possibleActionsSchema(printJobActionNames),
})
export type PrintJobDetailsResponse = z.output<typeof printJobDetailsSchema>

export const printJobReasonSchema = z.object({ reason })

export const overrideAddressSchema = z.object({
  recipientName: recipientNameSchema
    .exactOptional()
    .describe('Absent: the recipient name does not change'),
  address: addressSchema,
  reason,
})
export type OverrideAddressRequest = z.input<typeof overrideAddressSchema>

/** A print job as stored. Null means not known (yet). */
export type StoredPrintJobSummary = {
  key: string
  id: string
  consumerId: string
  userName: string
  status: PrintJobStatus
  consumerName: string
  createdAt: Date
  updatedAt: Date
  lateness: Lateness | null
} & {
  [Name in
    | 'batchNumber'
    | 'documentId'
    | 'failure'
    | 'comment'
    | 'businessIdentifier'
    | 'recipientName'
    | 'postcode'
    | 'dueDate']: string | null
} & { [Name in 'heldAt' | 'parkedAt' | 'deletedAt']: Date | null }

export type StoredPrintJobDetails = StoredPrintJobSummary & {
  correlationId: string
  submittedParams: StandardParams
  printableAddress: PrintableAddress | null
  submittedAddress: Addressee | null
  addressOverride: Addressee | null
  addressOverriddenAt: Date | null
  producedAs: PrintRunDespatchMethod
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
    | 'heldBy'
    | 'heldByUserName'
    | 'holdReason'
    | 'fulfilmentJobId'
    | 'printLocation'
    | 'serialNumber'
    | 'runState']: string | null
}

type StoredPrintJobDetailsEvent = StoredPrintJobEvent & { actorUserName: string | null }

export function renderListedPrintJob(job: StoredPrintJobSummary): ListedPrintJobResponse {
  const { key: printJobKey, ...others } = job
  return listedPrintJobSchema.parse(withoutNulls({ printJobKey, ...others }))
}

/** Renders a print job with everything related to it, for an operator. */
export function renderPrintJobDetails(
  job: StoredPrintJobDetails,
  {
    events,
    callbacks,
    actions,
  }: {
    events: readonly StoredPrintJobDetailsEvent[]
    callbacks: readonly StoredCallback[]
    actions: readonly PossibleAction<PrintJobAction>[]
  },
): PrintJobDetailsResponse {
  const { key: printJobKey, files, ...others } = job
  const { jobType, templateReference, despatchMethod } = job.submittedParams
  return printJobDetailsSchema.parse({
    ...withoutNulls({ printJobKey, ...others }),
    ...{ jobType, templateReference, despatchMethod },
    files: files.map(withoutNulls),
    events: renderEvents(job.id, events),
    callbacks: callbacks.map(renderCallback),
    actions: renderPossibleActions(actions),
  })
}

/** The events that the consumer sees, with the operator who caused each. */
function renderEvents(id: string, events: readonly StoredPrintJobDetailsEvent[]) {
  const actors = new Map(
    events.map(({ sequence, actor, actorUserName }) => [sequence, { actor, actorUserName }]),
  )
  return renderPrintJobEvents(id, events).events.map((event) =>
    withoutNulls({ ...event, ...actors.get(event.sequence)! }),
  )
}
