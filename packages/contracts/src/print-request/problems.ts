import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { Problem, type RequestProblemKind } from '@despatch/domain/problem'
import { z } from 'zod'
import { problemRenderer, type WireError } from '../wire-error.ts'

export const printErrorsSchema = z.object({
  errors: z.array(
    z.object({
      status: z.string().describe('HTTP status number and reason, such as 404 NOT_FOUND'),
      code: z.string(),
      detail: z.string().describe('Names the invalid field, if any'),
      title: z.string().optional().describe('Path of the field, or the action that failed'),
    }),
  ),
})

export type PrintError = z.output<typeof printErrorsSchema>['errors'][number]

/** Spec: every status has the form `<number> <REASON>`. */
const reasons = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  417: 'EXPECTATION_FAILED',
  429: 'TOO_MANY_REQUESTS',
  431: 'REQUEST_HEADER_FIELDS_TOO_LARGE',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
} as const
type PrintStatus = keyof typeof reasons

export type PrintWireProblem = {
  status: PrintStatus
  code: string
  title?: string
  detail?: string
}

/** Wire form of the problems that a request to any of the print interfaces can meet. */
export const requestWire = {
  // One error for each violation, with its own code.
  'invalid-field': { status: 400, code: 'Invalid' },
  'unreadable-body': { status: 400, code: 'InvalidFormat' },
  'body-too-large': { status: 413, code: 'PayloadTooLarge' },
  'unsupported-media-type': { status: 415, code: 'UnsupportedMediaType' },
  // Consumers read this text and request new credentials. It is always the same, whatever was wrong.
  'not-authenticated': {
    status: 401,
    code: 'Unauthorized',
    detail: 'API Key or JWT is either not provided, expired or invalid',
  },
  'not-permitted': { status: 403, code: 'Forbidden' },
  'route-not-found': { status: 404, code: 'NotFound' },
  'method-not-allowed': { status: 405, code: 'MethodNotAllowed' },
  'too-many-requests': { status: 429, code: 'TooManyRequests', title: 'Too Many Requests' },
  unavailable: { status: 503, code: 'ServiceUnavailable' },
  'malformed-request': { status: 400, code: 'MalformedRequest' },
  'request-timeout': { status: 408, code: 'RequestTimeout' },
  'expectation-failed': { status: 417, code: 'ExpectationFailed' },
  'headers-too-large': { status: 431, code: 'HeadersTooLarge' },
} as const satisfies Record<RequestProblemKind, PrintWireProblem>

export type PrintProblemKind =
  | RequestProblemKind
  | 'print-job-not-found'
  | 'upload-not-found'
  | 'print-job-id-taken'
  | 'print-job-not-pending'
  | 'print-job-action-refused'
  | 'proof-not-ready'
  | 'letter-not-ready'
  | 'document-not-found'
  | 'callback-not-found'
  | 'replay-conflict'
  | 'signing-secret-not-found'
  | 'signing-secret-conflict'

/** Codes 5, 7, 11 and 12 are the specification's. */
const wire = {
  ...requestWire,
  'print-job-not-found': { status: 404, code: '5' },
  'upload-not-found': { status: 404, code: '12' },
  'print-job-id-taken': { status: 409, code: '11', title: 'Print job cannot be created' },
  'print-job-not-pending': { status: 409, code: '7', title: 'Print job cannot be deleted' },
  'print-job-action-refused': { status: 409, code: 'NotPossible', title: 'Not possible now' },
  'proof-not-ready': { status: 409, code: 'NotReady', title: 'No proof yet' },
  'letter-not-ready': { status: 409, code: 'NoLetter', title: 'No letter' },
  'document-not-found': { status: 404, code: 'NotFound' },
  'callback-not-found': { status: 404, code: 'CallbackNotFound' },
  'replay-conflict': { status: 409, code: 'ReplayConflict', title: 'Callbacks are not sent again' },
  'signing-secret-not-found': { status: 404, code: 'SigningSecretNotFound' },
  'signing-secret-conflict': {
    status: 409,
    code: 'SigningSecretConflict',
    title: 'Signing secret cannot be created',
  },
} as const satisfies Record<PrintProblemKind, PrintWireProblem>

export const renderPrintProblem = problemRenderer<PrintProblemKind, PrintWireProblem>(
  wire,
  renderPrintErrors,
)

/**
 * Renders a problem in the shape of the print interfaces: `errors`, with one entry for each violation of a field or
 * document. A violation of a field has its own code.
 */
export function renderPrintErrors(
  { status, code, title, detail }: PrintWireProblem,
  { kind, message, faults }: Problem,
): WireError {
  const statusText = `${status} ${reasons[status]}`
  const errors: PrintError[] =
    faults.length > 0
      ? faults.map((fault) => ({
          status: statusText,
          code: kind === 'invalid-field' ? fault.code : code,
          title: fault.field,
          detail: fault.detail,
        }))
      : [{ status: statusText, code, ...(title && { title }), detail: detail ?? message }]
  return {
    status,
    body: { errors },
    ...(status === 401 && { headers: { 'www-authenticate': 'Bearer' } }),
  }
}

/** Spec: 500 has code 2 and an error id in its detail. The response contains nothing else about the fault. */
export function renderPrintFault(errorId: string): WireError {
  const detail = `Unexpected error. Error id: ${errorId}`
  return {
    status: 500,
    body: { errors: [{ status: `500 ${reasons[500]}`, code: '2', detail }] },
  }
}

export function printJobNotFound(id: string): Problem {
  return new Problem('print-job-not-found', `There is no print job with the id ${id}`)
}

/** Returns the problem of an upload that a print job cannot use. Only its owner learns more than that. */
export function uploadNotFound(
  uploadId: string,
  why: 'unknown' | 'used' | 'expired' | 'oversized' | 'empty' = 'unknown',
): Problem {
  const details = {
    unknown: `There is no upload with the id ${uploadId}`,
    used: `The upload ${uploadId} is used by another print job. Upload the file again for this one`,
    expired: `The upload ${uploadId} has expired. Upload the file again`,
    oversized: `What was uploaded for the upload ${uploadId} was too large. Create another upload`,
    empty: `Nothing has been uploaded for the upload ${uploadId} yet`,
  }
  return new Problem('upload-not-found', details[why])
}

/** Returns the problem of a consumer with too many uploads that no print job uses. */
export function tooManyOpenUploads(openMax: number): Problem {
  return new Problem(
    'too-many-requests',
    `You have ${openMax} uploads that are in no print job, which is the limit. Use them, or wait until they expire.`,
  )
}

export function printJobIdTaken(id: string): Problem {
  return new Problem(
    'print-job-id-taken',
    `The supplied identifier ${id} conflicts with another print job. Please supply a unique identifier.`,
  )
}

/** Spec: only a print job in PENDING can be deleted. Says the status and what the consumer can do. */
export function printJobNotPending(id: string, status: PrintJobStatus): Problem {
  const detail = `The print job ${id} is not pending but ${status}. ${whatToDo[status]}`
  return new Problem('print-job-not-pending', detail)
}

const beingChecked = 'It is being checked: hold it, or delete it when it is PENDING.'
const whatToDo: Record<PrintJobStatus, string> = {
  QUARANTINE: beingChecked,
  VALIDATING: beingChecked,
  PENDING: 'It was being changed: delete it again.',
  PRODUCTION: 'A provider is printing it: ask an operator whether it can be recalled.',
  DESPATCHED: 'It has been posted.',
  REJECTED: 'It is not printed, so there is nothing to delete.',
}

/** Returns the problem of an action that the state of the print job does not allow. `whyNot` is the reason. */
export function printJobActionRefused(whyNot: string): Problem {
  return new Problem('print-job-action-refused', whyNot)
}

/** Returns the problem that explains why a letter cannot be drawn. `id` is the caller's name for the print job. */
export function proofRefused(id: string, why: 'being-checked' | 'purged' | 'too-complex'): Problem {
  switch (why) {
    case 'being-checked':
      return new Problem(
        'proof-not-ready',
        `The print job ${id} is still being checked: it has a proof once it is PENDING or REJECTED`,
      )
    case 'purged':
      return new Problem(
        'proof-not-ready',
        `There is no proof of the print job ${id} any more: what is personal has been removed`,
      )
    case 'too-complex':
      return new Problem('unavailable', 'The letter is too complex to be drawn')
  }
}

/** Returns the problem that explains why there is no accessible letter. `id` is the caller's name for the print job. */
export function letterRefused(
  id: string,
  why: 'being-checked' | 'purged' | 'not-from-template' | 'rejected',
): Problem {
  const says = {
    'being-checked': `The print job ${id} is still being checked: it has a letter once it is PENDING`,
    purged: `There is no letter of the print job ${id} any more: what is personal has been removed`,
    'not-from-template': `The print job ${id} is not made from a template: its files are its letter`,
    rejected: `The print job ${id} was rejected: its proof shows why`,
  }
  return new Problem('letter-not-ready', says[why])
}

export function dryRunPageNotFound(page: string): Problem {
  return new Problem('document-not-found', `The letter has no page ${page}`)
}

export function dryRunTooComplex(): Problem {
  return new Problem('unavailable', 'The letter is too complex to be drawn')
}

export function proofPageNotFound(id: string, page: string): Problem {
  return new Problem('document-not-found', `The letter of print job ${id} has no page ${page}`)
}

export function callbackNotFound(callbackId: string): Problem {
  return new Problem('callback-not-found', `There is no callback with the id ${callbackId}`)
}

/** Returns the problem of a replay whose callbacks have changed since the dry run. */
export function replayCountDiffers(count: number, expectedCount: number): Problem {
  return new Problem(
    'replay-conflict',
    `There are ${count} such callbacks and not ${expectedCount}: ask with dryRun again`,
  )
}

/** Returns the problem of a replay that selects more callbacks than may be replayed at once. */
export function replayTooMany(replaysMax: number): Problem {
  return new Problem(
    'replay-conflict',
    `More than ${replaysMax} callbacks are chosen: narrow them by createdFrom and createdTo`,
  )
}

export function signingSecretNotFound(secretId: string): Problem {
  return new Problem(
    'signing-secret-not-found',
    `There is no signing secret with the id ${secretId}`,
  )
}

/** Returns the problem of a third secret. Both existing ones are valid until one is deleted or expires. */
export function signingSecretsFull(): Problem {
  return new Problem(
    'signing-secret-conflict',
    'Two secrets sign already: delete one of them, or wait until one has ended',
  )
}
