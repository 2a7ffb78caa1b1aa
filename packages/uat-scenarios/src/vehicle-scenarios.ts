import { fault, refusal, type VehicleScenario } from './vehicle-scenario.ts'
import { vehiclesByMembers } from './vehicles/members.ts'
import { publishedVehicles } from './vehicles/published.ts'
import { vehiclesByMotStatus, vehiclesByTaxStatus } from './vehicles/tax-and-mot.ts'

export type { VehicleOutcome, VehicleScenario } from './vehicle-scenario.ts'

/** UAT4nn and UAT5nn: the number contains the status. */
const vehiclesByStatus: readonly VehicleScenario[] = [
  refusal('UAT400', 400, 'invalid-field'),
  refusal('UAT403', 403, 'not-permitted'),
  refusal('UAT404', 404, 'vehicle-not-found'),
  refusal('UAT429', 429, 'too-many-requests'),
  fault('UAT500'),
  refusal('UAT503', 503, 'unavailable'),
]

/** Every predefined registration number, each once: the agency's public test numbers and our own. */
export const vehicleScenarios: readonly VehicleScenario[] = [
  ...publishedVehicles,
  ...vehiclesByTaxStatus,
  ...vehiclesByMotStatus,
  ...vehiclesByMembers,
  ...vehiclesByStatus,
]

/** Returns the scenario of a registration number in stored form: upper case. */
export function vehicleScenario(registrationNumber: string): VehicleScenario | undefined {
  return byNumber.get(registrationNumber)
}

const byNumber = new Map(vehicleScenarios.map((each) => [each.registrationNumber, each]))
