import type { RequestProblemKind } from '@despatch/domain/problem'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'

/** The response of the test environment for one registration number. */
export type VehicleScenario = {
  registrationNumber: string
  title: string
  status: number
  outcome: VehicleOutcome
}

export type VehicleProblemKind = RequestProblemKind | 'vehicle-not-found'

export type VehicleOutcome =
  | { kind: 'record'; record: (now: Date) => VehicleRecord }
  | { kind: 'problem'; problem: VehicleProblemKind; detail: string }
  | { kind: 'fault' }

/** The record of a vehicle without its number. */
export type Details = Omit<VehicleRecord, 'registrationNumber'>

const refusals = {
  'invalid-field': {
    title: 'Bad request',
    detail: 'Invalid format for field - vehicle registration number',
  },
  'not-permitted': { title: 'Forbidden', detail: 'Forbidden' },
  'vehicle-not-found': { title: 'Vehicle not found', detail: 'Record for vehicle not found' },
  'too-many-requests': { title: 'Throttled', detail: 'Too Many Requests' },
  unavailable: {
    title: 'Service unavailable',
    detail:
      'The service is currently down for maintenance, please contact support for more information',
  },
} as const satisfies Partial<Record<VehicleProblemKind, { title: string; detail: string }>>

/** Returns the scenario of a number with a record. */
export function vehicle(
  registrationNumber: string,
  title: string,
  details: (now: Date) => Details,
): VehicleScenario {
  const record = (now: Date) => ({ registrationNumber, ...details(now) })
  return { registrationNumber, title, status: 200, outcome: { kind: 'record', record } }
}

/** Returns a scenario that is refused with `problem`. */
export function refusal(
  registrationNumber: string,
  status: number,
  problem: keyof typeof refusals,
): VehicleScenario {
  const { title, detail } = refusals[problem]
  return { registrationNumber, title, status, outcome: { kind: 'problem', problem, detail } }
}

/** Returns a scenario with a fault of ours. */
export function fault(registrationNumber: string): VehicleScenario {
  return { registrationNumber, title: 'Internal error', status: 500, outcome: { kind: 'fault' } }
}
