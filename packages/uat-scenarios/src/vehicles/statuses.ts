import { fault, refusal, type VehicleScenario } from '../vehicle-scenario.ts'

/** UAT4nn and UAT5nn: the number contains the status. */
export const vehiclesByStatus: readonly VehicleScenario[] = [
  refusal('UAT400', 400, 'invalid-field'),
  refusal('UAT403', 403, 'not-permitted'),
  refusal('UAT404', 404, 'vehicle-not-found'),
  refusal('UAT429', 429, 'too-many-requests'),
  fault('UAT500'),
  refusal('UAT503', 503, 'unavailable'),
]
