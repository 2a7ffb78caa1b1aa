import type { FieldFault, RequestProblemKind } from '@despatch/domain/problem'
import { z } from 'zod'
import { problemRenderer, type WireError } from '../wire-error.ts'

/** Spec: status and code are strings, and the title is always present. */
export const vehicleErrorsSchema = z.object({
  errors: z.array(
    z.object({
      status: z.string().describe('HTTP status number'),
      code: z.string().describe('Service reference code'),
      title: z.string(),
      detail: z.string().describe('Names the invalid field, if any'),
    }),
  ),
})

export type VehicleErrors = z.output<typeof vehicleErrorsSchema>

type WireProblem = { status: number; title: string; detail?: string }

const badRequest = { status: 400, title: 'Bad request' }
const forbidden = { status: 403, title: 'Forbidden' }

export type VehicleProblemKind = RequestProblemKind | 'vehicle-not-found'

const wire = {
  // Spec: the titles of 400, 404, 429, 500 and 503.
  'invalid-field': { status: 400, title: 'Invalid registration number' },
  'unreadable-body': badRequest,
  'body-too-large': { status: 413, title: 'Payload Too Large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported Media Type' },
  // Like a gateway: a missing or wrong API key is forbidden, without saying which.
  'not-authenticated': {
    ...forbidden,
    detail: 'API Key is either not provided, expired or invalid',
  },
  'not-permitted': forbidden,
  'route-not-found': { status: 404, title: 'Not Found' },
  'method-not-allowed': { status: 405, title: 'Method Not Allowed' },
  'too-many-requests': { status: 429, title: 'Throttled' },
  unavailable: { status: 503, title: 'Service unavailable' },
  'malformed-request': badRequest,
  'request-timeout': { status: 408, title: 'Request Timeout' },
  'expectation-failed': { status: 417, title: 'Expectation Failed' },
  'headers-too-large': { status: 431, title: 'Request Header Fields Too Large' },
  'vehicle-not-found': {
    status: 404,
    title: 'Vehicle not found',
    detail: 'Record for vehicle not found',
  },
} as const satisfies Record<VehicleProblemKind, WireProblem>

/** Renders a problem in the shape of this interface: `errors`, with one entry for each violation. */
export const renderVehicleProblem = problemRenderer<VehicleProblemKind, WireProblem>(
  wire,
  ({ status, title, detail }, { message, faults }) => {
    const told = faults.length > 0 ? faults.map(tell) : [{ title, detail: detail ?? message }]
    const code = String(status)
    const errors = told.map((each) => ({ status: code, code, ...each }))
    return { status, body: { errors } satisfies VehicleErrors }
  },
)

/** A body without a registration number is reported as one with a wrong registration number. */
function tell({ field, detail }: FieldFault): { title: string; detail: string } {
  if (field !== 'registrationNumber' && field !== 'body') return { title: badRequest.title, detail }
  const { title } = wire['invalid-field']
  return { title, detail: `Invalid format for field - vehicle registration number (${detail})` }
}

/** Renders a fault of ours with its id and nothing else. */
export function renderVehicleFault(errorId: string): WireError {
  const detail = `Unexpected error. Error id: ${errorId}`
  const body: VehicleErrors = {
    errors: [{ status: '500', code: 'ENQ108', title: 'Internal error', detail }],
  }
  return { status: 500, body }
}
