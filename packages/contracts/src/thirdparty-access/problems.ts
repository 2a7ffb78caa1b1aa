import type { RequestProblemKind } from '@despatch/domain/problem'
import { z } from 'zod'
import { problemRenderer, type WireError } from '../wire-error.ts'

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

export type AccessProblemKind = RequestProblemKind | 'wrong-credentials' | 'api-key-changing'

const wire = {
  'invalid-field': malformed,
  'unreadable-body': malformed,
  'body-too-large': { status: 413, title: 'Payload Too Large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported Media Type' },
  // Always the same texts, so that they do not reveal which part was wrong. This one is of the authenticate operation.
  'wrong-credentials': {
    status: 401,
    title: 'Authentication Failure',
    detail: 'User name or password incorrect, or too many incorrect attempts',
  },
  // Spec: the 401 of all other operations, also of the two that take a password and neither key nor JWT.
  'not-authenticated': {
    status: 401,
    title: 'Unauthorized',
    detail: 'API Key or JWT is either not provided, expired or invalid',
  },
  'not-permitted': { status: 403, title: 'Forbidden' },
  'route-not-found': { status: 404, title: 'Not Found' },
  'method-not-allowed': { status: 405, title: 'Method Not Allowed' },
  'too-many-requests': { status: 429, title: 'Too Many Requests' },
  unavailable: { status: 503, title: 'Service Unavailable' },
  'malformed-request': malformed,
  'request-timeout': { status: 408, title: 'Request Timeout' },
  'expectation-failed': { status: 417, title: 'Expectation Failed' },
  'headers-too-large': { status: 431, title: 'Request Header Fields Too Large' },
  'api-key-changing': { status: 409, title: 'Conflict' },
} as const satisfies Record<AccessProblemKind, WireProblem>

/** Renders a problem in the shape of this interface: an array, with one entry for each violation of a field. */
export const renderAccessProblem = problemRenderer<AccessProblemKind, WireProblem>(
  wire,
  ({ status, title, detail }, { message, faults }) => {
    const details = faults.length > 0 ? faults.map((fault) => fault.detail) : [detail ?? message]
    const errors = details.map((each) => ({ status, code: status, title, detail: each }))
    return { status, body: errors satisfies AccessErrors }
  },
)

/** Renders a fault of ours with its id and nothing else. */
export function renderAccessFault(errorId: string): WireError {
  const detail = `Unexpected error. Error id: ${errorId}`
  const body: AccessErrors = [{ status: 500, code: 500, title: 'Internal Server Error', detail }]
  return { status: 500, body }
}
