import type { CallbackParams, CustomParam } from '@despatch/domain/print-job/params'
import { printJobStatuses } from '@despatch/domain/print-job/status'
import type { FieldFault } from '@despatch/domain/problem'
import { z } from 'zod'
import { ifKnown, storedDay, storedTime } from '../stored.ts'
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
  customParams: ifKnown(z.array(customParamSchema).min(1)),
  callbackParams: ifKnown(callbackParamsSchema),
  fileParams: ifKnown(z.array(z.object({ fileId: z.string() }))),
  status: z.enum(printJobStatuses),
  comment: ifKnown(z.string()),
  batchNumber: ifKnown(z.string()).describe('Number of the print run'),
  fulfilmentJobId: ifKnown(z.string()),
  documentId: ifKnown(z.string()),
  printLocation: ifKnown(z.string()),
  serialNumber: ifKnown(z.string()),
  despatchProperties: ifKnown(
    z.array(z.object({ key: z.string().min(1).max(50), value: z.string().min(1).max(255) })).min(1),
  ),
  createdDate: storedTime,
  updatedDate: storedTime,
  printableAddress: ifKnown(printableAddressSchema),
  expectedDespatchDate: ifKnown(z.iso.date()).describe(
    'Only in the extended view. Day on which the letter is expected to be handed to the carrier',
  ),
  cancellableUntil: ifKnown(storedTime).describe(
    'Only in the extended view. Until this time the print job can certainly be deleted. Absent once its print run is ' +
      'released. It can then be deleted until a provider claims the run, which may happen at any moment',
  ),
  heldSince: ifKnown(storedTime).describe(
    'Only in the extended view. The print job has waited for its release since this time',
  ),
  notBefore: ifKnown(storedDay).describe(
    'Only in the extended view. The letter is not printed before this day, as requested',
  ),
  addressOverriddenDate: ifKnown(storedTime).describe(
    'Only in the extended view. When operations last corrected the address. printableAddress is the corrected ' +
      'address. standardParams remain as submitted',
  ),
  purgedDate: ifKnown(storedTime).describe(
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

type RenderedPrintJob = z.input<typeof printJobResponseSchema>

/** What is planned for a print job. Null means not known (yet). */
export type PlannedDespatch = Pick<
  RenderedPrintJob,
  'expectedDespatchDate' | 'cancellableUntil' | 'heldSince' | 'notBefore'
>

export type StoredPrintJob = Omit<RenderedPrintJob, 'fileParams' | keyof PlannedDespatch> & {
  files: { fileId: string }[]
}

/** Returns a print job as its consumer reads it: files by their ids, credentials masked. With a plan, more of it. */
export function ownPrintJob(job: StoredPrintJob, plan?: PlannedDespatch) {
  const { customParams, callbackParams, files, despatchProperties } = job
  return {
    ...job,
    ...(plan ?? notExtended),
    customParams: customParams?.length ? hideFileValues(customParams, files) : null,
    callbackParams: callbackParams && maskCallbackParams(callbackParams),
    fileParams: files.length > 0 ? files : null,
    despatchProperties: despatchProperties?.length ? despatchProperties : null,
  }
}

const notExtended = {
  expectedDespatchDate: null,
  cancellableUntil: null,
  heldSince: null,
  notBefore: null,
  addressOverriddenDate: null,
  purgedDate: null,
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
