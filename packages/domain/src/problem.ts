export const problemKinds = [
  'invalid-field',
  'unreadable-body',
  'body-too-large',
  'unsupported-media-type',
  'not-authenticated',
  'not-permitted',
  'route-not-found',
  'too-many-requests',
  'unavailable',
  'print-job-not-found',
  'upload-not-found',
  'print-job-id-taken',
  'print-job-not-pending',
  'proof-not-ready',
  'print-run-not-found',
  'print-run-not-claimable',
  'claim-key-reused',
  'digest-mismatch',
  'document-not-found',
  'posting-not-found',
  'posting-conflict',
  'print-run-not-in-production',
  'print-run-unaccounted',
  'reprint-not-possible',
  'reprint-not-found',
  'recall-not-found',
  'recall-answered',
  'print-site-not-found',
  'provider-not-found',
  'provider-taken',
  'fulfilment-job-not-found',
  'print-run-conflict',
  'wrong-credentials',
  'consumer-not-found',
  'user-name-taken',
  'contract-not-found',
  'contract-in-use',
  'own-access',
  'api-key-changing',
  'vehicle-not-found',
  'driver-not-found',
  'source-failed',
  'source-unavailable',
  'source-timed-out',
  'record-set-not-found',
  'record-set-conflict',
  'callback-not-found',
  'replay-conflict',
  'signing-secret-not-found',
  'signing-secret-conflict',
  'print-job-action-refused',
  'bulk-action-not-found',
  'bulk-action-conflict',
] as const
export type ProblemKind = (typeof problemKinds)[number]

/**
 * One violation in a request body. `code` is a Bean Validation constraint name, `field` the path as written on the
 * wire.
 */
export type FieldFault = { field: string; code: string; detail: string }

/**
 * An error that the caller caused and may see. `detail` is safe to show. Each API's own table defines how a kind is
 * reported.
 */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly faults: readonly FieldFault[]

  constructor(kind: ProblemKind, detail: string, faults: readonly FieldFault[] = []) {
    super(detail)
    this.name = 'Problem'
    this.kind = kind
    this.faults = faults
  }
}

/** Returns a problem of kind `invalid-field` that lists every violation in the request. */
export function invalidFields(faults: readonly FieldFault[]): Problem {
  return new Problem('invalid-field', faults.map(({ detail }) => detail).join(' '), faults)
}
