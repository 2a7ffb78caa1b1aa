import { driverRefusal } from '../driver-refusals.ts'
import type { DriverScenario } from '../driver-scenario.ts'
import { numberOf } from '../driver-scenario.ts'

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
