import type { PrintableAddress } from '@despatch/domain/address/address'
import { londonDateOf } from '@despatch/domain/calendar/london'
import type { CallbackParams, CustomParam, StandardParams } from '@despatch/domain/print-job/params'
import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import type { FieldFault } from '@despatch/domain/problem'
import { z } from 'zod'
import {
  callbackParamsSchema,
  customParamSchema,
  standardParamsSchema,
} from './print-job-request.ts'

/** Spec: replaces the value of a custom parameter that was taken as a file. */
export const fileValueText = 'See fileParams for file information'
const maskedValue = '********'

const line = z.string().max(45)

export const printableAddressSchema = z.object({
  line1: line,
  line2: line.optional(),
  line3: line.optional(),
  line4: line.optional(),
  line5: line.optional(),
  recipientLine1: line,
  recipientLine2: line,
  postcode: z.string().max(8).optional(),
  dps: z.string().nullable(),
})

export const printJobResponseSchema = z.object({
  id: z.string(),
  standardParams: standardParamsSchema,
  customParams: z.array(customParamSchema).min(1).optional(),
  callbackParams: callbackParamsSchema.optional(),
  fileParams: z.array(z.object({ fileId: z.string() })).optional(),
  status: z.enum(printJobStatuses),
  comment: z.string().optional(),
  batchNumber: z.string().optional().describe('Number of the print run'),
  fulfilmentJobId: z.string().optional(),
  documentId: z.string().optional(),
  printLocation: z.string().optional(),
  serialNumber: z.string().optional(),
  despatchProperties: z
    .array(z.object({ key: z.string().min(1).max(50), value: z.string().min(1).max(255) }))
    .min(1)
    .optional(),
  createdDate: z.iso.datetime(),
  updatedDate: z.iso.datetime(),
  printableAddress: printableAddressSchema.optional(),
  expectedDespatchDate: z.iso
    .date()
    .optional()
    .describe(
      'Only in the extended view. Day on which the letter is expected to be handed to the carrier',
    ),
  cancellableUntil: z.iso
    .datetime()
    .optional()
    .describe(
      'Only in the extended view. Until this time the print job can certainly be deleted. Absent once its print run is ' +
        'released. It can then be deleted until a provider claims the run, which may happen at any moment',
    ),
  heldSince: z.iso
    .datetime()
    .optional()
    .describe(
      'Only in the extended view. The print job has waited for its release since this time',
    ),
  notBefore: z.iso
    .date()
    .optional()
    .describe('Only in the extended view. The letter is not printed before this day, as requested'),
  addressOverriddenDate: z.iso
    .datetime()
    .optional()
    .describe(
      'Only in the extended view. When operations last corrected the address. printableAddress is the corrected ' +
        'address. standardParams remain as submitted',
    ),
  purgedDate: z.iso
    .datetime()
    .optional()
    .describe(
      'Only in the extended view. When the personal data was removed. The recipient and the address then read ********',
    ),
})

export const printJobQuerySchema = z.object({
  view: z
    .enum(['extended'])
    .optional()
    .describe(
      'An addition to the specification. extended also returns when the letter will be printed and what it is waiting ' +
        'for',
    ),
})

export type PrintJobResponse = z.output<typeof printJobResponseSchema>

/** As an error of the API, without a status. */
export const warningSchema = z.object({
  code: z.string().describe('Such as UnknownMember. New codes may be added'),
  title: z.string().describe('Path of the member'),
  detail: z.string().describe('Human-readable sentence'),
})

export const printJobCreationResponseSchema = z.object({
  id: z.string(),
  warnings: z
    .array(warningSchema)
    .min(1)
    .optional()
    .describe(
      'An addition to the specification. What is probably a mistake in the request although the print job is accepted. ' +
        'Absent if there is nothing',
    ),
})
export type PrintJobCreationResponse = z.output<typeof printJobCreationResponseSchema>

/** Renders the answer to a submission. */
export function renderPrintJobCreation(
  id: string,
  warnings: readonly FieldFault[],
): PrintJobCreationResponse {
  if (warnings.length === 0) return { id }
  return {
    id,
    warnings: warnings.map(({ field, code, detail }) => ({ code, title: field, detail })),
  }
}

/** A print job as stored, with the names of the wire. Null means not known (yet). */
export type StoredPrintJob = {
  id: string
  standardParams: StandardParams
  customParams: readonly CustomParam[] | null
  callbackParams: CallbackParams | null
  files: readonly { fileId: string }[]
  status: PrintJobStatus
  comment: string | null
  batchNumber: string | null
  fulfilmentJobId: string | null
  documentId: string | null
  printLocation: string | null
  serialNumber: string | null
  despatchProperties: readonly { key: string; value: string }[] | null
  createdDate: Date
  updatedDate: Date
  printableAddress: PrintableAddress | null
  /** When operations last corrected the address. */
  addressOverriddenDate?: Date | null
  /** When its personal data was removed. */
  purgedDate?: Date | null
}

/** What is planned for a print job. Null means not known (yet). */
export type PlannedDespatch = {
  /** `YYYY-MM-DD` in London. */
  expectedDespatchDate: string | null
  cancellableUntil: Date | null
  /** Null if it is not on hold. */
  heldSince: Date | null
  /** The start of a day in London. */
  notBefore: Date | null
}

/** Renders a job with what is planned for it. */
export function renderExtendedPrintJob(
  job: StoredPrintJob,
  { expectedDespatchDate, cancellableUntil, heldSince, notBefore }: PlannedDespatch,
): PrintJobResponse {
  return {
    ...renderPrintJob(job),
    ...known({
      expectedDespatchDate,
      cancellableUntil: cancellableUntil?.toISOString() ?? null,
      heldSince: heldSince?.toISOString() ?? null,
      notBefore: notBefore && londonDateOf(notBefore),
      addressOverriddenDate: job.addressOverriddenDate?.toISOString() ?? null,
      purgedDate: job.purgedDate?.toISOString() ?? null,
    }),
  }
}

/** Renders a job as its consumer reads it: files by their ids, credentials masked, unknown members omitted. */
export function renderPrintJob(job: StoredPrintJob): PrintJobResponse {
  const { customParams, callbackParams, files, despatchProperties, printableAddress } = job
  return {
    id: job.id,
    standardParams: job.standardParams,
    ...(customParams?.length && { customParams: hideFileValues(customParams, files) }),
    ...(callbackParams && { callbackParams: maskCallbackParams(callbackParams) }),
    ...(files.length > 0 && { fileParams: files.map(({ fileId }) => ({ fileId })) }),
    status: job.status,
    ...known({
      comment: job.comment,
      batchNumber: job.batchNumber,
      fulfilmentJobId: job.fulfilmentJobId,
      documentId: job.documentId,
      printLocation: job.printLocation,
      serialNumber: job.serialNumber,
    }),
    ...(despatchProperties?.length && { despatchProperties: [...despatchProperties] }),
    createdDate: job.createdDate.toISOString(),
    updatedDate: job.updatedDate.toISOString(),
    ...(printableAddress && { printableAddress }),
  }
}

// A custom parameter that was taken as a file gave its key to the file.
function hideFileValues(
  customParams: readonly CustomParam[],
  files: readonly { fileId: string }[],
): CustomParam[] {
  const fileIds = new Set(files.map(({ fileId }) => fileId))
  return customParams.map(({ key, value }) => ({
    key,
    value: fileIds.has(key) ? fileValueText : value,
  }))
}

function maskCallbackParams(callbackParams: CallbackParams): CallbackParams {
  const isGiven = Boolean(callbackParams.authenticationHeader)
  return { ...callbackParams, ...(isGiven && { authenticationHeader: maskedValue }) }
}

function known<Members extends Record<string, string | null>>(members: Members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as {
    [name in keyof Members]?: string
  }
}
