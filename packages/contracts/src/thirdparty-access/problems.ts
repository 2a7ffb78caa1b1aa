import type { Problem, ProblemKind } from '@despatch/domain/problem'
import { z } from 'zod'
import { problemDefaults } from '../problem-defaults.ts'
import type { WireError } from '../wire-error.ts'

/** Spec: a bare array. Its schema declares status and code as integers. */
export const accessErrorsSchema = z.array(
  z.object({
    status: z.int().describe('HTTP status number'),
    code: z.int().describe('HTTP status number'),
    title: z.string(),
    detail: z.string(),
  }),
)

export type AccessErrors = z.output<typeof accessErrorsSchema>

type WireProblem = { status: number; title: string; detail?: string }

const malformed = { status: 400, title: 'Malformed request' }
const notFound = { status: 404, title: 'Not Found' }
const conflict = { status: 409, title: 'Conflict' }

const wire = {
  ...problemDefaults({ notFound, conflict }),
  'invalid-field': malformed,
  'unreadable-body': malformed,
  'body-too-large': { status: 413, title: 'Payload Too Large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported Media Type' },
  // Always the same texts, so that they do not reveal which part was wrong.
  'wrong-credentials': {
    status: 401,
    title: 'Authentication Failure',
    detail: 'User name or password incorrect, or too many incorrect attempts',
  },
  'not-authenticated': {
    status: 401,
    title: 'Unauthorized',
    detail: 'API Key or JWT is either not provided, expired or invalid',
  },
  'not-permitted': { status: 403, title: 'Forbidden' },
  'route-not-found': notFound,
  'too-many-requests': { status: 429, title: 'Too Many Requests' },
  unavailable: { status: 503, title: 'Service Unavailable' },
  'source-failed': { status: 502, title: 'Bad Gateway' },
  'source-unavailable': { status: 503, title: 'Service Unavailable' },
  'source-timed-out': { status: 504, title: 'Gateway Timeout' },
} as const satisfies Record<ProblemKind, WireProblem>

/** Renders a problem in the shape of this interface: an array, with one entry for each violation of a field. */
export function renderAccessProblem({ kind, message, faults }: Problem): WireError {
  const { status, title, detail = message }: WireProblem = wire[kind]
  const details = faults.length > 0 ? faults.map((fault) => fault.detail) : [detail]
  return {
    status,
    body: details.map((each) => ({
      status,
      code: status,
      title,
      detail: each,
    })) satisfies AccessErrors,
  }
}

/** Renders a fault of ours with its id and nothing else. */
export function renderAccessFault(errorId: string): WireError {
  const detail = `Unexpected error. Error id: ${errorId}`
  const body: AccessErrors = [{ status: 500, code: 500, title: 'Internal Server Error', detail }]
  return { status: 500, body }
}
