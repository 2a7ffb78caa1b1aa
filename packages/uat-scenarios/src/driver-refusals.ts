import { type DriverProblemKind, type DriverScenario, numberOf } from './driver-scenario.ts'

const refusals = {
  'invalid-field': {
    status: 400,
    title: 'Bad request',
    detail: 'Invalid format for field - drivingLicenceNumber',
  },
  'not-authenticated': {
    status: 401,
    title: 'Not authenticated',
    detail: 'API Key or JWT is either not provided, expired or invalid',
  },
  'not-permitted': { status: 403, title: 'Forbidden', detail: 'Forbidden' },
  'driver-not-found': {
    status: 404,
    title: 'No record for the driving licence number',
    detail: 'For the given drivingLicenceNumber field, no driver record could be found',
  },
  'too-many-requests': {
    status: 429,
    title: 'Request rate limit exceeded',
    detail: 'Too Many Requests',
  },
  'source-failed': { status: 502, title: 'Bad gateway', detail: 'Bad Gateway' },
  unavailable: {
    status: 503,
    title: 'Service unavailable (maintenance)',
    detail: 'The service is currently down for maintenance',
  },
  'source-timed-out': { status: 504, title: 'Gateway timeout', detail: 'Gateway Timeout' },
} as const satisfies Partial<
  Record<DriverProblemKind, { status: number; title: string; detail: string }>
>

/** Returns a scenario that is refused with `problem`. */
export function driverRefusal(
  drivingLicenceNumber: string,
  problem: keyof typeof refusals,
): DriverScenario {
  const { status, title, detail } = refusals[problem]
  return { drivingLicenceNumber, title, status, outcome: { kind: 'problem', problem, detail } }
}

const numbered = (lastName: string) => numberOf({ lastName, day: 1 })

/** BADREQUEST, NOTFOUND …: the surname is the reason of the refusal. */
export const statusDrivers: readonly DriverScenario[] = [
  driverRefusal(numbered('BADREQUEST'), 'invalid-field'),
  driverRefusal(numbered('UNAUTHENTICATED'), 'not-authenticated'),
  driverRefusal(numbered('FORBIDDEN'), 'not-permitted'),
  driverRefusal(numbered('NOTFOUND'), 'driver-not-found'),
  driverRefusal(numbered('TOOMANY'), 'too-many-requests'),
  {
    drivingLicenceNumber: numbered('ERROR'),
    title: 'Internal error',
    status: 500,
    outcome: { kind: 'fault' },
  },
  driverRefusal(numbered('BADGATEWAY'), 'source-failed'),
  driverRefusal(numbered('UNAVAILABLE'), 'unavailable'),
  driverRefusal(numbered('TIMEOUT'), 'source-timed-out'),
]
