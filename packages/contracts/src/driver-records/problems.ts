import type { Problem, ProblemKind } from '@despatch/domain/problem'
import { z } from 'zod'
import { problemDefaults } from '../problem-defaults.ts'
import type { WireError } from '../wire-error.ts'

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

type WireProblem = { status: number; code: string; detail?: string }

const invalid = { status: 400, code: 'REQUEST_VALIDATION_ERROR' }
const notFound = { status: 404, code: 'NotFound' }
const conflict = { status: 409, code: 'Conflict' }

const wire = {
  ...problemDefaults({ notFound, conflict }),
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
  'wrong-credentials': { status: 401, code: 'Unauthorized' },
  'not-permitted': { status: 403, code: 'Forbidden' },
  'route-not-found': notFound,
  'too-many-requests': { status: 429, code: 'TooManyRequests' },
  unavailable: { status: 503, code: 'ServiceUnavailable' },
  'driver-not-found': {
    status: 404,
    code: 'ENQ018',
    detail: 'For the given drivingLicenceNumber field, no driver record could be found',
  },
  'source-failed': { status: 502, code: 'BadGateway' },
  'source-unavailable': { status: 503, code: 'ServiceUnavailable' },
  'source-timed-out': { status: 504, code: 'GatewayTimeout' },
} as const satisfies Record<ProblemKind, WireProblem>

/** Renders a problem in the shape of these interfaces: `errors`, with one entry for each violation of a field. */
export function renderDriverProblem({ kind, message, faults }: Problem): WireError {
  const { status, code, detail = message }: WireProblem = wire[kind]
  const details = faults.length > 0 ? faults.map((fault) => fault.detail) : [detail]
  const errors = details.map((each) => ({ status: String(status), code, detail: each }))
  return { status, body: { errors } satisfies DriverErrors }
}

/** Renders a fault of ours with its id and nothing else. */
export function renderDriverFault(errorId: string): WireError {
  const detail = `Unexpected error. Error id: ${errorId}`
  const body: DriverErrors = { errors: [{ status: '500', code: 'InternalServerError', detail }] }
  return { status: 500, body }
}
