import type { SearchHasherSource } from '@despatch/access/search-terms'
import { submitPrintJob as operation } from '@despatch/contracts/print-request/operations'
import { renderPrintJobCreation } from '@despatch/contracts/print-request/print-job-response'
import type { InlineFile } from '@despatch/documents/inline-file'
import { invalidFields, Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { traceContextOf } from '@despatch/http/trace-requests'
import { fileKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Contract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import type {
  Submission,
  SubmissionIdentity,
  SubmissionOutcome,
} from '@despatch/store/print-job/submissions'
import { commitStored } from '@despatch/store/purge/commit-stored'
import { markObjectsForDeletion } from '@despatch/store/purge/mark-for-deletion'
import type { CallbackContext } from '../callback/plan-callback.ts'
import { findMissingUpload, refuseUpload } from '../print-job/find-missing-upload.ts'
import { newKey } from '../print-job/new-key.ts'
import {
  type PlannedSubmission,
  planSubmission,
  type SubmissionContext,
} from '../print-job/plan-submission.ts'

type SubmitContext = CallbackContext & {
  db: Db
  objects: ObjectStore
  contractsOf: (consumerId: string) => Promise<readonly Contract[]>
  fieldsOf: SubmissionContext['fieldsOf']
  /** Saves the print job, or returns why it cannot be saved. */
  save: (submission: Submission) => Promise<SubmissionOutcome>
  /** Returns the outcome of a submission whose id is already taken, or undefined. */
  findConflict: (submission: SubmissionIdentity) => Promise<SubmissionOutcome | undefined>
  /** Returns undefined if its key cannot be unsealed: then the search terms are written later. */
  searchHasher: SearchHasherSource
  uploadBytesMax: number
  newId: () => string
  now: () => Date
  /** Called when a print job has been saved. */
  onSaved: () => void
}

/** POST /print/jobs: returns 202 once the print job and its inline files are durably saved. */
export function submitPrintJob(api: Api, context: SubmitContext): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { consumerId, apiKeyHash } = request.caller
      const planned = await planSubmission(request.body, {
        key: newKey(),
        newId: context.newId(),
        consumerId,
        apiKeyHash: apiKeyHash.toString('hex'),
        correlationId: request.id,
        idempotencyKey: request.headers['idempotency-key'] ?? null,
        contracts: await context.contractsOf(consumerId),
        fieldsOf: context.fieldsOf,
        unknownMembers: request.unknownMembers!,
        uploadBytesMax: context.uploadBytesMax,
        callbackAllow: context.callbackAllow,
        seal: context.seal,
        searchHasher: await context.searchHasher(),
        now: context.now(),
        traceContext: traceContextOf(request),
      })
      if (planned.kind === 'refused') {
        const hasOwnId = request.body.id !== undefined
        return reply.code(202).send({ id: await repeatedId(context, { ...planned, hasOwnId }) })
      }
      const { submission, inlineFiles, warnings } = planned
      const missing = await findMissingUpload(context, submission)
      const outcome = missing
        ? ((await context.findConflict(submission)) ?? missing)
        : await saveWithFiles(context, submission, inlineFiles)
      if (outcome.kind === 'upload-not-found') {
        throw await refuseUpload(context.db, { consumerId, uploadId: outcome.uploadId })
      }
      const id = acceptedId(outcome, submission)
      context.onSaved()
      return reply.code(202).send(renderPrintJobCreation(id, warnings))
    },
  })
}

/**
 * Returns the id of the print job that a refused submission repeats with its Idempotency-Key. Its contract, the day or
 * our settings may have changed since it was accepted. Throws that the id is taken if the submission repeats a print job
 * of its own id, or may repeat a retired one; otherwise a Problem that lists every violation.
 */
async function repeatedId(
  { findConflict }: SubmitContext,
  {
    faults,
    identity,
    hasOwnId,
  }: Extract<PlannedSubmission, { kind: 'refused' }> & { hasOwnId: boolean },
): Promise<string> {
  const canRepeat = hasOwnId || identity.idempotencyKey !== null
  const earlier = canRepeat ? await findConflict(identity) : undefined
  if (earlier?.kind === 'repeated') return earlier.id
  if (earlier?.kind === 'id-taken' && earlier.sameContent !== false)
    throw idTaken(identity, earlier)
  throw invalidFields(faults)
}

/**
 * Stores the files before it saves the print job, so that a saved print job always has its files. If the print job is
 * not saved, the files are marked for deletion.
 */
async function saveWithFiles(
  { db, objects, save }: SubmitContext,
  submission: Submission,
  inlineFiles: readonly InlineFile[],
): Promise<SubmissionOutcome> {
  if (inlineFiles.length === 0) return save(submission)
  const stored = inlineFiles.map(({ sha256 }) => ({ kind: 'file' as const, sha256 }))
  const outcome = await commitStored(db, {
    objects: stored,
    store: async () => {
      for (const { sha256, bytes, mediaType } of inlineFiles) {
        await objects.put(fileKey(sha256), bytes, mediaType)
      }
    },
    commit: () => save(submission),
  })
  const isNamed = outcome.kind === 'saved' || outcome.kind === 'repeated'
  if (!isNamed) await markObjectsForDeletion(db, stored, 'unnamed')
  return outcome
}

/** Returns the id of the saved print job. Throws a Problem for any other outcome. */
function acceptedId(
  outcome: Exclude<SubmissionOutcome, { kind: 'upload-not-found' }>,
  submission: Submission,
): string {
  switch (outcome.kind) {
    case 'saved':
    case 'repeated':
      return outcome.id
    case 'id-taken':
      throw idTaken(submission, outcome)
    case 'idempotency-key-reused':
      throw new Problem(
        'print-job-id-taken',
        'The Idempotency-Key was used for another print job with different content.',
      )
    case 'not-authenticated':
      throw new Problem('not-authenticated', 'The API key is no longer valid')
  }
}

type IdTaken = Extract<SubmissionOutcome, { kind: 'id-taken' }>

function idTaken({ id }: SubmissionIdentity, outcome: IdTaken): Problem {
  return new Problem(
    'print-job-id-taken',
    `The supplied identifier ${id} conflicts with another print job${describe(outcome)}. Please supply a unique identifier.`,
  )
}

/** A deleted print job keeps its id, because a late repetition of its submission must not print it. */
function describe({ sameContent, deletedAt }: IdTaken): string {
  const content =
    sameContent === null ? '' : `, whose content is ${sameContent ? 'the same' : 'different'}`
  const deleted = deletedAt ? `, which was deleted at ${deletedAt.toISOString()}` : ''
  return content + deleted
}
