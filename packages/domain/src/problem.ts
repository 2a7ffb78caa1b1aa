/** The problems that a request to any API can meet. Each API adds its own. */
export const requestProblemKinds = [
  'invalid-field',
  'unreadable-body',
  'body-too-large',
  'unsupported-media-type',
  'not-authenticated',
  'not-permitted',
  'route-not-found',
  'method-not-allowed',
  'too-many-requests',
  'unavailable',
  // These are found before a request has a route, often before it has an address.
  'malformed-request',
  'request-timeout',
  'expectation-failed',
  'headers-too-large',
] as const
export type RequestProblemKind = (typeof requestProblemKinds)[number]

/**
 * One violation in a request body. `code` is a Bean Validation constraint name, `field` the path as written on the
 * wire.
 */
export type FieldFault = {
  field: string
  code: string
  detail: string
  /** The caller chose a name in `field`, so it must not be logged. */
  isNamedByCaller?: boolean
}

/**
 * An error that the caller caused and may see. `detail` is safe to show. Each API has one table of the kinds that it
 * raises, which defines how each is reported.
 */
export class Problem<Kind extends string = string> extends Error {
  readonly kind: Kind
  readonly faults: readonly FieldFault[]

  constructor(kind: Kind, detail: string, faults: readonly FieldFault[] = []) {
    super(detail)
    this.name = 'Problem'
    this.kind = kind
    this.faults = faults
  }
}

/** Returns a problem of kind `invalid-field` that lists every violation in the request. */
export function invalidFields(faults: readonly FieldFault[]): Problem<'invalid-field'> {
  return new Problem('invalid-field', faults.map(({ detail }) => detail).join(' '), faults)
}
