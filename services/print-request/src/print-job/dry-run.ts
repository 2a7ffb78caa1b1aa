import type { Composers } from '@despatch/composer/composers'
import type { PrintJobRequest } from '@despatch/contracts/print-request/print-job-request'
import type { Validation } from '@despatch/contracts/print-request/validation-response'
import type { DocumentFile, DocumentRequest } from '@despatch/documents/document-request'
import type { AbsentFile } from '@despatch/documents/draft-letter'
import { detectMediaType } from '@despatch/documents/file-signature'
import type { InlineFile } from '@despatch/documents/inline-file'
import type { LetterToDraw } from '@despatch/documents/letter-proof'
import { planDocument } from '@despatch/documents/plan-document'
import { printAddressee } from '@despatch/domain/address/printable-address'
import type { UnknownMembers } from '@despatch/domain/json/unknown-members'
import type { Finding } from '@despatch/domain/preflight/finding'
import { invalidFields } from '@despatch/domain/problem'
import type { LetterTemplates } from '@despatch/letters/letter-templates'
import { typesetFile, typesetFileId } from '@despatch/letters/make-letter'
import { refusalOfFile } from '@despatch/letters/read-letter'
import type { WorkLimits } from '@despatch/letters/within-limit'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Contract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import type { Submission } from '@despatch/store/print-job/submissions'
import type { predefinedRefusal } from '@despatch/uat-scenarios/print-scenarios'
import type { CallbackContext } from '../callback/plan-callback.ts'
import { findMissingUpload, refuseUpload } from './find-missing-upload.ts'
import { newKey } from './new-key.ts'
import { planSubmission } from './plan-submission.ts'
import { readSubmittedFiles, type SubmittedBytes } from './read-submitted-files.ts'
import type { ScanFiles } from './scan-files.ts'

export type DryRunContext = Pick<CallbackContext, 'callbackAllow'> & {
  db: Db
  objects: ObjectStore
  contractsOf: (consumerId: string) => Promise<readonly Contract[]>
  templates: LetterTemplates
  /** Returns those of the uploads that the consumer may use in a print job. */
  listUsableUploads: (consumerId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>
  limits: WorkLimits
  composers: Pick<Composers, 'validateLetter' | 'letterProof' | 'letterProofPage'>
  /** In the test environment: why some recipients' print jobs are rejected, whatever they contain. */
  predefinedRefusal?: typeof predefinedRefusal
  scanFiles: ScanFiles
  uploadBytesMax: number
  newId: () => string
  now: () => Date
}

type DryRunRequest = {
  id: string
  body: PrintJobRequest
  caller: { consumerId: string; apiKeyHash: Buffer }
  unknownMembers: UnknownMembers | null
}

type PlannedDryRun = {
  submission: Submission
  inlineFiles: readonly InlineFile[]
  contract: Contract
}

/** Parses and plans the request like a submission, and saves nothing. Throws the same Problems as a submission. */
export async function planDryRun(
  context: DryRunContext,
  { id, body, caller, unknownMembers }: DryRunRequest,
): Promise<PlannedDryRun> {
  const { consumerId, apiKeyHash } = caller
  const contracts = await context.contractsOf(consumerId)
  const planned = await planSubmission(body, {
    key: newKey(),
    newId: context.newId(),
    consumerId,
    apiKeyHash: apiKeyHash.toString('hex'),
    correlationId: id,
    idempotencyKey: null,
    contracts,
    fieldsOf: async (template) => (await context.templates.find(template)).fields,
    unknownMembers: unknownMembers!,
    uploadBytesMax: context.uploadBytesMax,
    callbackAllow: context.callbackAllow,
    // A dry run stores no destination.
    seal: () => Buffer.alloc(0),
    now: context.now(),
    traceContext: null,
    searchHasher: undefined,
  })
  if (planned.kind === 'refused') throw invalidFields(planned.faults)
  const { submission, inlineFiles } = planned
  await requireUploads(context, submission)
  const contract = contracts.find((each) => each.id === submission.contractId)!
  return { submission, inlineFiles, contract }
}

/** A placeholder of the same length as a real id, so that the marks are drawn at their real size. No caller sees it. */
const standInDocumentId = 'D000000000'

/** Makes the letter as the pipeline does. Returns how it is judged, and what a proof shows of it. */
export async function makeDryRun(
  context: DryRunContext,
  { submission, inlineFiles, contract }: PlannedDryRun,
  signal: AbortSignal,
): Promise<{ validation: Validation; letter: LetterToDraw }> {
  const submitted = await readSubmittedFiles({ ...context, signal }, submission, inlineFiles)
  const { findings: ofScan, scanned } = await context.scanFiles(submitted, signal)
  const { standardParams, customParams, unknownMembers, findings: requestFindings } = submission
  const printed = printAddressee(standardParams, standardParams.despatchMethod)
  const submittedAt = context.now()
  const terms = {
    ...contract,
    ...{ standardParams, customParams, submittedAt },
    documentId: standInDocumentId,
  }
  const request = planDocument(terms, printed, [])
  const predefined = context.predefinedRefusal?.(standardParams.recipientName, {
    fileIds: submission.files.map(({ fileId }) => fileId),
    pagesMax: contract.pagesMax,
    uploadBytesMax: context.uploadBytesMax,
  })
  const by = { consumerId: submission.consumerId, signal }
  const typeset = await typesetFile(context.templates, terms, by)
  const files = typeset && 'file' in typeset ? [typeset.file, ...submitted] : submitted
  const refusal = predefined?.finding ?? (typeset && 'finding' in typeset ? typeset.finding : null)
  const made = refusal
    ? { findings: [refusal] }
    : await context.composers.validateLetter({ request, files, findings: ofScan }, by)
  const { printableAddress, producedAs } = printed
  return {
    validation: {
      printableAddress,
      producedAs,
      ...made,
      requestFindings: requestFindings ?? [],
      unknownMembers,
      scanned,
    },
    letter: {
      ...shownOf(request, files, made.findings),
      findings: made.findings,
      ...(made.document && { document: made.document.pdf }),
    },
  }
}

/** Returns what a proof draws. A file that is refused by itself is not opened again: its finding is shown instead. */
function shownOf(
  request: DocumentRequest,
  submitted: readonly SubmittedBytes[],
  findings: readonly Finding[],
): Pick<LetterToDraw, 'request' | 'absent'> {
  const files: DocumentFile[] = []
  const absent: AbsentFile[] = findings
    .filter(({ rule }) => rule === 'template')
    .map(({ detail }) => ({ fileId: typesetFileId, detail }))
  for (const { fileId, bytes } of submitted) {
    const mediaType = detectMediaType(bytes)
    const detail = refusalOfFile(findings, fileId)
    if (mediaType && detail === undefined) files.push({ fileId, mediaType, bytes })
    else absent.push({ fileId, detail: detail ?? `File ${fileId} is not shown.` })
  }
  return { request: { ...request, files }, absent }
}

/** Throws the same Problem as a submission if an upload is missing or the consumer may not use it. */
async function requireUploads(context: DryRunContext, submission: Submission): Promise<void> {
  const { consumerId } = submission
  const missing = await findMissingUpload(context, submission)
  if (missing) throw await refuseUpload(context.db, { consumerId, uploadId: missing.uploadId })
  const ids = submission.files.flatMap((file) => (file.source === 'upload' ? [file.uploadId] : []))
  if (ids.length === 0) return
  const usable = await context.listUsableUploads(consumerId, ids)
  const other = ids.find((id) => !usable.has(id.toLowerCase()))
  if (other) throw await refuseUpload(context.db, { consumerId, uploadId: other })
}
