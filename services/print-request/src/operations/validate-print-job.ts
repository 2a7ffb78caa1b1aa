import type { Composers } from '@despatch/composer/composers'
import { validatePrintJob as operation } from '@despatch/contracts/print-request/operations'
import {
  renderValidation,
  type Validation,
} from '@despatch/contracts/print-request/validation-response'
import type { InlineFile } from '@despatch/documents/inline-file'
import { planDocument } from '@despatch/documents/plan-document'
import { printAddressee } from '@despatch/domain/address/printable-address'
import { invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { LetterTemplates } from '@despatch/letters/letter-templates'
import { typesetFile } from '@despatch/letters/make-letter'
import { type WorkLimits, withinLimit } from '@despatch/letters/within-limit'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Contract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import type { Submission } from '@despatch/store/print-job/submissions'
import type { predefinedRefusal } from '@despatch/uat-scenarios/print-scenarios'
import type { CallbackContext } from '../callback/plan-callback.ts'
import { findMissingUpload, refuseUpload } from '../print-job/find-missing-upload.ts'
import { newKey } from '../print-job/new-key.ts'
import { planSubmission } from '../print-job/plan-submission.ts'
import { readSubmittedFiles } from '../print-job/read-submitted-files.ts'
import type { ScanFiles } from '../print-job/scan-files.ts'

type ValidateContext = Pick<CallbackContext, 'callbackAllow'> & {
  db: Db
  objects: ObjectStore
  contractsOf: (consumerId: string) => Promise<readonly Contract[]>
  templates: LetterTemplates
  /** Returns those of the uploads that the consumer may use in a print job. */
  listUsableUploads: (consumerId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>
  limits: WorkLimits
  validateLetter: Composers['validateLetter']
  /** In the test environment: why some recipients' print jobs are rejected, whatever they contain. */
  predefinedRefusal?: typeof predefinedRefusal
  scanFiles: ScanFiles
  uploadBytesMax: number
  newId: () => string
  now: () => Date
}

/**
 * POST /print/jobs/validate: reports how a print job would be judged, and saves no print job. An addition to the
 * specification. The request is parsed and planned like a submission, and the letter passes the same checks as in the
 * pipeline.
 */
export function validatePrintJob(api: Api, context: ValidateContext): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { consumerId, apiKeyHash } = request.caller
      const contracts = await context.contractsOf(consumerId)
      const planned = await planSubmission(request.body, {
        key: newKey(),
        newId: context.newId(),
        consumerId,
        apiKeyHash: apiKeyHash.toString('hex'),
        correlationId: request.id,
        idempotencyKey: null,
        contracts,
        fieldsOf: async (template) => (await context.templates.find(template)).fields,
        unknownMembers: request.unknownMembers!,
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
      const contract = contracts.find(({ id }) => id === submission.contractId)!
      return withinLimit(context.limits, { consumerId, reply }, 'dry-run', async (signal) =>
        renderValidation(await dryRun(context, { submission, inlineFiles, contract }, signal)),
      )
    },
  })
}

/** A placeholder of the same length as a real id, so that the marks are drawn at their real size. No caller sees it. */
const standInDocumentId = 'D000000000'

async function dryRun(
  context: ValidateContext,
  {
    submission,
    inlineFiles,
    contract,
  }: { submission: Submission; inlineFiles: readonly InlineFile[]; contract: Contract },
  signal: AbortSignal,
): Promise<Validation> {
  const submitted = await readSubmittedFiles({ ...context, signal }, submission, inlineFiles)
  const { findings, scanned } = await context.scanFiles(submitted, signal)
  const { standardParams, unknownMembers, findings: requestFindings } = submission
  const printed = printAddressee(standardParams, standardParams.despatchMethod)
  const terms = {
    ...contract,
    standardParams,
    customParams: submission.customParams,
    submittedAt: context.now(),
    documentId: standInDocumentId,
  }
  const request = planDocument(terms, printed, [])
  const predefined = context.predefinedRefusal?.(standardParams.recipientName, {
    fileIds: submission.files.map(({ fileId }) => fileId),
    pagesMax: contract.pagesMax,
    uploadBytesMax: context.uploadBytesMax,
  })
  const by = { consumerId: submission.consumerId, signal }
  const makeLetter = async () => {
    const typeset = await typesetFile(context.templates, terms, by)
    if (typeset && 'finding' in typeset) return { findings: [typeset.finding] }
    const files = typeset ? [typeset.file, ...submitted] : submitted
    return context.validateLetter({ request, files, findings }, by)
  }
  const made = predefined ? { findings: [predefined.finding] } : await makeLetter()
  const { printableAddress, producedAs } = printed
  return {
    printableAddress,
    producedAs,
    ...made,
    requestFindings: requestFindings ?? [],
    unknownMembers,
    scanned,
  }
}

/** Throws the same Problem as a submission if an upload is missing or the consumer may not use it. */
async function requireUploads(context: ValidateContext, submission: Submission): Promise<void> {
  const { consumerId } = submission
  const missing = await findMissingUpload(context, submission)
  if (missing) throw await refuseUpload(context.db, { consumerId, uploadId: missing.uploadId })
  const ids = submission.files.flatMap((file) => (file.source === 'upload' ? [file.uploadId] : []))
  if (ids.length === 0) return
  const usable = await context.listUsableUploads(consumerId, ids)
  const other = ids.find((id) => !usable.has(id.toLowerCase()))
  if (other) throw await refuseUpload(context.db, { consumerId, uploadId: other })
}
