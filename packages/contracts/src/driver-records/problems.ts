import type { Problem, RequestProblemKind } from '@despatch/domain/problem'
import { z } from 'zod'
import { problemRenderer, type WireError } from '../wire-error.ts'

/** Error format of the driver record services: status and code are strings. */
export const driverErrorsSchema = z.object({
  errors: z.array(
    z.object({
      status: z.string().describe('HTTP status number'),
      code: z.string(),
      detail: z.string().describe('Names the invalid field, if any'),
      title: z.string().optional(),
    }),
  ),
})

export type DriverErrors = z.output<typeof driverErrorsSchema>

export type DriverWireProblem = { status: number; code: string; detail?: string }

const invalid = { status: 400, code: 'REQUEST_VALIDATION_ERROR' }

/** Wire form of the problems that a request to any of these interfaces can meet. */
export const requestWire = {
  'invalid-field': invalid,
  // Consumers rely on this text, whatever made the body unreadable.
  'unreadable-body': { ...invalid, detail: 'Failed to parse request body' },
  'body-too-large': { status: 413, code: 'PayloadTooLarge' },
  'unsupported-media-type': { status: 415, code: 'UnsupportedMediaType' },
  // Always the same text, so that it does not reveal which part was wrong.
  'not-authenticated': {
    status: 401,
    code: 'Unauthorized',
    detail: 'API Key or JWT is either not provided, expired or invalid',
  },
  'not-permitted': { status: 403, code: 'Forbidden' },
  'route-not-found': { status: 404, code: 'NotFound' },
  'method-not-allowed': { status: 405, code: 'MethodNotAllowed' },
  'too-many-requests': { status: 429, code: 'TooManyRequests' },
  unavailable: { status: 503, code: 'ServiceUnavailable' },
  'malformed-request': invalid,
  'request-timeout': { status: 408, code: 'RequestTimeout' },
  'expectation-failed': { status: 417, code: 'ExpectationFailed' },
  'headers-too-large': { status: 431, code: 'HeadersTooLarge' },
} as const satisfies Record<RequestProblemKind, DriverWireProblem>

/** Renders a problem of an interface that raises no problems of its own: driver find and the driver sources. */
export const renderDriverProblem = problemRenderer<RequestProblemKind, DriverWireProblem>(
  requestWire,
  renderDriverErrors,
)

/** Renders a problem in the shape of these interfaces: `errors`, with one entry for each violation of a field. */
export function renderDriverErrors(
  { status, code, detail }: DriverWireProblem,
  { message, faults }: Problem,
): WireError {
  const details = faults.length > 0 ? faults.map((fault) => fault.detail) : [detail ?? message]
  const errors = details.map((each) => ({ status: String(status), code, detail: each }))
  return { status, body: { errors } satisfies DriverErrors }
}

/** Renders a fault of ours with its id and nothing else. */
export function renderDriverFault(errorId: string): WireError {
  const detail = `Unexpected error. Error id: ${errorId}`
  const body: DriverErrors = { errors: [{ status: '500', code: 'InternalServerError', detail }] }
  return { status: 500, body }
}
