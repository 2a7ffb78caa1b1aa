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

const invalid = { status: 400, title: 'Bad Request' }
const forbidden = { status: 403, title: 'Forbidden' }

export type VehicleProblemKind = RequestProblemKind | 'vehicle-not-found'

const wire = {
  'invalid-field': invalid,
  'unreadable-body': invalid,
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
  'too-many-requests': { status: 429, title: 'Too Many Requests' },
  unavailable: { status: 503, title: 'Service Unavailable' },
  'vehicle-not-found': {
    status: 404,
    title: 'Vehicle Not Found',
    detail: 'Record for vehicle not found',
  },
} as const satisfies Record<VehicleProblemKind, WireProblem>

/** Renders a problem in the shape of this interface: `errors`, with one entry for each violation. */
export const renderVehicleProblem = problemRenderer<VehicleProblemKind, WireProblem>(
  wire,
  ({ status, title, detail }, { message, faults }) => {
    const details = faults.length > 0 ? faults.map(detailOf) : [detail ?? message]
    const code = String(status)
    const errors = details.map((each) => ({ status: code, code, title, detail: each }))
    return { status, body: { errors } satisfies VehicleErrors }
  },
)

/** A body without a registration number is reported as one with a wrong registration number. */
function detailOf({ field, detail }: FieldFault): string {
  if (field !== 'registrationNumber' && field !== 'body') return detail
  return `Invalid format for field - vehicle registration number (${detail})`
}

/** Renders a fault of ours with its id and nothing else. */
export function renderVehicleFault(errorId: string): WireError {
  const detail = `Unexpected error. Error id: ${errorId}`
  const body: VehicleErrors = {
    errors: [{ status: '500', code: 'ENQ108', title: 'Internal Server Error', detail }],
  }
  return { status: 500, body }
}
