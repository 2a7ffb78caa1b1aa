import type { RequestProblemKind } from '@despatch/domain/problem'
import {
  type DriverWireProblem,
  renderDriverErrors,
  requestWire,
} from '../driver-records/problems.ts'
import { problemRenderer } from '../wire-error.ts'

/** Why the data of a source is missing. */
export type SourceProblemKind = 'source-failed' | 'source-unavailable' | 'source-timed-out'
type FullDriverProblemKind = RequestProblemKind | SourceProblemKind | 'driver-not-found'

const wire = {
  ...requestWire,
  'driver-not-found': {
    status: 404,
    code: 'ENQ018',
    detail: 'For the given drivingLicenceNumber field, no driver record could be found',
  },
  'source-failed': { status: 502, code: 'BadGateway' },
  'source-unavailable': { status: 503, code: 'ServiceUnavailable' },
  'source-timed-out': { status: 504, code: 'GatewayTimeout' },
} as const satisfies Record<FullDriverProblemKind, DriverWireProblem>

export const renderFullDriverProblem = problemRenderer<FullDriverProblemKind, DriverWireProblem>(
  wire,
  renderDriverErrors,
)
