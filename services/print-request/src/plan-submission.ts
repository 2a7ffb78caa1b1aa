import { hash } from 'node:crypto'
import type { PrintJobRequest } from '@despatch/contracts/print-request/print-job-request'
import { fileValueText } from '@despatch/contracts/print-request/print-job-response'
import { decodeInlineFile } from '@despatch/documents/inline-file'
import { notBeforeRange, planSending } from '@despatch/domain/print-job/send-control'
import { type FieldFault, invalidFields } from '@despatch/domain/problem'
import type { Contract } from '@despatch/store/access/contracts'
import type { Submission, SubmittedFile } from '@despatch/store/print-job/submissions'
import type { StoredCallbackParams } from '@despatch/store/schema-callback'
import { type CallbackContext, type PlannedCallback, planCallback } from './plan-callback.ts'

export type SubmissionContext = CallbackContext & {
  /** Made by us: a key of the row and, when the request has none, an id. */
  key: string
  newId: string
  consumerId: string
  apiKeyHash: string
  correlationId: string
  idempotencyKey: string | null
  contracts: readonly Contract[]
  uploadBytesMax: number
  now: Date
  traceContext: string | null
}

/** A file that came inside the request, to be stored under its hash before the print job is saved. */
export type InlineFile = { sha256: string; bytes: Uint8Array; mediaType: string }

/**
 * Makes a row of a request that keeps to the schema: picks the contract and takes the files out of the custom
 * parameters. Throws a Problem that lists every fault.
 */
export function planSubmission(
  request: PrintJobRequest,
  context: SubmissionContext,
): { submission: Submission; inlineFiles: InlineFile[] } {
  const faults: FieldFault[] = []
  const contract = findContract(request, context.contracts, faults)
  const inline = takeInlineFiles(request, context.uploadBytesMax, faults)
  const uploads = takeUploads(request, inline.files, faults)
  if (contract) requireSuppliedFile(contract, [...inline.files, ...uploads], faults)
  const callback = request.callbackParams && planCallback(request.callbackParams, context, faults)
  requireNearDay(request, context.now, faults)
  if (faults.length > 0 || !contract) throw invalidFields(faults)

  const files = [...inline.files, ...uploads]
  const submission: Submission = {
    key: context.key,
    consumerId: context.consumerId,
    apiKeyHash: context.apiKeyHash,
    id: request.id ?? context.newId,
    contractId: contract.id,
    standardParams: request.standardParams,
    customParams: inline.customParams,
    callbackParams: callback ? keptParams(callback) : null,
    callbackDestinationSealed: callback?.destinationSealed.toString('hex') ?? null,
    callbackOrigin: callback?.origin ?? null,
    callbackStatuses: contract.callbackStatuses,
    correlationId: context.correlationId,
    idempotencyKey: context.idempotencyKey,
    requestFingerprint: fingerprint(request, inline.customParams, files),
    ...planSending(request.sendControl ?? {}, contract),
    traceContext: context.traceContext,
    files,
  }
  return { submission, inlineFiles: inline.contents }
}

/** What is kept in the clear. That it is there at all says that callbacks are wanted. */
function keptParams({ retryParams }: PlannedCallback): StoredCallbackParams {
  return retryParams ? { retryParams } : {}
}

function findContract(
  { standardParams }: PrintJobRequest,
  contracts: readonly Contract[],
  faults: FieldFault[],
): Contract | undefined {
  const { jobType, templateReference } = standardParams
  const ofType = contracts.filter((contract) => contract.jobType === jobType)
  const contract = ofType.find((candidate) => candidate.templateReference === templateReference)
  if (!contract) {
    const field = `standardParams.${ofType.length > 0 ? 'templateReference' : 'jobType'}`
    faults.push({
      field,
      code: 'NotAgreed',
      detail: `${field} is not one that has been agreed for this consumer`,
    })
  }
  return contract
}

/** Spec: a value that is base64 content with one of the file signatures is a file, and its key is the fileId. */
function takeInlineFiles(
  { customParams }: PrintJobRequest,
  uploadBytesMax: number,
  faults: FieldFault[],
) {
  const files: SubmittedFile[] = []
  const contents: InlineFile[] = []
  const stored = customParams?.map(({ key, value }, index) => {
    const decoded = decodeInlineFile(value)
    if (!decoded) return { key, value }
    const { bytes, mediaType } = decoded
    const field = `customParams[${index}].value`
    if (bytes.length > uploadBytesMax) {
      const detail = `${field} is a file of ${bytes.length} bytes; at most ${uploadBytesMax} are allowed`
      faults.push({ field, code: 'Size', detail })
    }
    if ([...key].length > 255) {
      const keyField = `customParams[${index}].key`
      const detail = `${keyField} becomes a fileId: size must be between 1 and 255`
      faults.push({ field: keyField, code: 'Size', detail })
    }
    const sha256 = hash('sha256', bytes)
    contents.push({ sha256, bytes, mediaType })
    files.push({ fileId: key, source: 'custom-param', sha256, bytes: bytes.length, mediaType })
    return { key, value: fileValueText }
  })
  return { customParams: stored ?? null, files, contents }
}

function takeUploads(
  { fileParams }: PrintJobRequest,
  inlineFiles: readonly SubmittedFile[],
  faults: FieldFault[],
): SubmittedFile[] {
  const inlineIds = new Set(inlineFiles.map(({ fileId }) => fileId))
  return (fileParams ?? []).map(({ fileId, uploadId }, index) => {
    if (inlineIds.has(fileId)) {
      const field = `fileParams[${index}].fileId`
      const detail = `${field} must be unique: a custom parameter that holds a file has the same key`
      faults.push({ field, code: 'Duplicate', detail })
    }
    return { fileId, source: 'upload' as const, uploadId }
  })
}

function requireSuppliedFile(
  { production, suppliedFileKey }: Contract,
  files: readonly SubmittedFile[],
  faults: FieldFault[],
): void {
  if (production !== 'as-supplied') return
  if (files.some(({ fileId }) => fileId === suppliedFileKey)) return
  faults.push({
    field: 'customParams',
    code: 'NotNull',
    detail: `customParams must hold a PDF file in base64 under the key ${suppliedFileKey}`,
  })
}

function requireNearDay(
  { sendControl: { notBefore } = {} }: PrintJobRequest,
  now: Date,
  faults: FieldFault[],
): void {
  if (notBefore === undefined) return
  const { first, last } = notBeforeRange(now)
  if (notBefore >= first && notBefore <= last) return
  const field = 'sendControl.notBefore'
  faults.push({
    field,
    code: notBefore < first ? 'Min' : 'Max',
    detail: `${field} must be a day from ${first} to ${last}, as it is in London`,
  })
}

/** Tells whether two requests ask for the same letter, without keeping what they said. */
function fingerprint(
  { standardParams, callbackParams, sendControl }: PrintJobRequest,
  customParams: unknown,
  files: readonly SubmittedFile[],
): string {
  const asked = [standardParams, customParams, callbackParams, files]
  return hash('sha256', JSON.stringify(sendControl ? [...asked, sendControl] : asked))
}
