import { type DriverProblemKind, type DriverScenario, numberOf } from './driver-scenario.ts'

/** BADREQUEST, NOTFOUND …: the surname is the reason of the refusal. */
const refusals: Record<
  string,
  readonly [status: number, title: string, problem?: DriverProblemKind, detail?: string]
> = {
  BADREQUEST: [
    400,
    'Bad request',
    'invalid-field',
    'Invalid format for field - drivingLicenceNumber',
  ],
  UNAUTHENTICATED: [
    401,
    'Not authenticated',
    'not-authenticated',
    'API Key or JWT is either not provided, expired or invalid',
  ],
  FORBIDDEN: [403, 'Forbidden', 'not-permitted', 'Forbidden'],
  NOTFOUND: [
    404,
    'No record for the driving licence number',
    'driver-not-found',
    'For the given drivingLicenceNumber field, no driver record could be found',
  ],
  TOOMANY: [429, 'Request rate limit exceeded', 'too-many-requests', 'Too Many Requests'],
  ERROR: [500, 'Internal error'],
  BADGATEWAY: [502, 'Bad gateway', 'source-failed', 'Bad Gateway'],
  UNAVAILABLE: [
    503,
    'Service unavailable (maintenance)',
    'unavailable',
    'The service is currently down for maintenance',
  ],
  TIMEOUT: [504, 'Gateway timeout', 'source-timed-out', 'Gateway Timeout'],
}

export const statusDrivers: readonly DriverScenario[] = Object.keys(refusals).map((lastName) =>
  driverRefusal(numberOf({ lastName, day: 1 }), lastName),
)

/** Returns a scenario that is refused for the reason of this surname. */
export function driverRefusal(drivingLicenceNumber: string, lastName: string): DriverScenario {
  const [status, title, problem, detail = ''] = refusals[lastName]!
  return {
    drivingLicenceNumber,
    title,
    status,
    outcome: problem ? { kind: 'problem', problem, detail } : { kind: 'fault' },
  }
}
