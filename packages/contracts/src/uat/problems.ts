import type { RequestProblemKind } from '@despatch/domain/problem'
import {
  type DriverWireProblem,
  renderDriverErrors,
  requestWire,
} from '../driver-records/problems.ts'
import { problemRenderer } from '../wire-error.ts'

type UatProblemKind = RequestProblemKind | 'document-not-found'

const wire = {
  ...requestWire,
  'document-not-found': { status: 404, code: 'NotFound' },
} as const satisfies Record<UatProblemKind, DriverWireProblem>

export const renderUatProblem = problemRenderer<UatProblemKind, DriverWireProblem>(
  wire,
  renderDriverErrors,
)
