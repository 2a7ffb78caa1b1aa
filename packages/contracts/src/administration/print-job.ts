import { printJobActionNames } from '@despatch/domain/operator-action/print-job-actions'
import { rules } from '@despatch/domain/preflight/rules'
import { latenesses } from '@despatch/domain/print-job/lateness'
import { printJobFilters, printJobStatuses } from '@despatch/domain/print-job/status'
import { printRunDespatchMethods } from '@despatch/domain/print-run/despatch-method'
import { z } from 'zod'
import { moment } from '../moment.ts'
import { nextCursor, pageBody } from '../page.ts'
import { possibleActionsSchema } from '../possible-actions.ts'
import { addressSchema } from '../print-request/address.ts'
import { callbackSchema } from '../print-request/callback.ts'
import { printJobEventSchema } from '../print-request/print-job-events.ts'
import { recipientName, standardParamsSchema } from '../print-request/print-job-request.ts'
import { printableAddressSchema } from '../print-request/print-job-response.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { customIssue, text } from '../text.ts'
import { reason } from './print-run.ts'

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

const isTrue = z.boolean()

export const listedPrintJobSchema = z.object({
  printJobKey: z.string(),
  id: z.string(),
  consumerId: z.string(),
  userName: z.string().describe('User name of the consumer'),
  consumerName: z.string(),
  status: z.enum(printJobStatuses),
  createdAt: storedTime,
  updatedAt: storedTime,
  batchNumber: ifKnown(z.string()),
  documentId: ifKnown(z.string()),
  heldAt: ifKnown(storedTime),
  parkedAt: ifKnown(storedTime),
  deletedAt: ifKnown(storedTime),
  failure: ifKnown(z.string()).describe('Class of our last fault'),
  comment: ifKnown(z.string()).describe('Why it was rejected, or a note about it'),
  businessIdentifier: ifKnown(z.string()).describe(
    "The consumer's own reference. Absent once it has been removed",
  ),
  recipientName: ifKnown(z.string()).describe('Absent once it has been removed'),
  postcode: ifKnown(z.string()).describe('Absent once it has been removed'),
  dueDate: ifKnown(z.iso.date()).describe(
    'London date on which it must be despatched. Absent: it is due on no date',
  ),
  lateness: ifKnown(z.enum(latenesses)).describe(
    'How it stands against its due date. Absent: it is due on no date',
  ),
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
  recipientName,
  address: addressSchema,
})

export const printJobDetailsEventSchema = printJobEventSchema.extend({
  actor: z
    .string()
    .describe(
      'Who or what caused the event: consumer, consumer:id of an operator, a stage, or a provider',
    ),
  actorUserName: ifKnown(z.string()).describe('User name of the actor, if it is a user'),
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
  notBefore: ifKnown(storedTime),
  heldBy: ifKnown(z.string()),
  heldByUserName: ifKnown(z.string()).describe('User name of the operator who holds the print job'),
  holdReason: ifKnown(z.string()),
  printableAddress: ifKnown(printableAddressSchema),
  submittedAddress: ifKnown(addresseeSchema).describe(
    'Address that the consumer submitted. Absent once it has been removed',
  ),
  addressOverride: ifKnown(addresseeSchema).describe(
    'Address as operations corrected it. The letter is made for this address',
  ),
  addressOverriddenAt: ifKnown(storedTime).describe('When the address was last corrected'),
  fulfilmentJobId: ifKnown(z.string()),
  printLocation: ifKnown(z.string()),
  serialNumber: ifKnown(z.string()),
  runState: ifKnown(z.string()),
  purgedAt: ifKnown(storedTime),
  pages: ifKnown(z.number()).describe('Number of pages in the letter, once it is made'),
  files: z.array(
    z.object({
      fileId: z.string(),
      source: z.string(),
      mediaType: ifKnown(z.string()),
      bytes: ifKnown(z.number()),
      sha256: ifKnown(z.string()),
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
  recipientName: recipientName
    .exactOptional()
    .describe('Absent: the recipient name does not change'),
  address: addressSchema,
  reason,
})
export type OverrideAddressRequest = z.input<typeof overrideAddressSchema>

export type StoredPrintJobSummary = z.input<typeof listedPrintJobSchema>
export type StoredPrintJobDetails = z.input<typeof printJobDetailsSchema>
