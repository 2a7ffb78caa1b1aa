import type { VehicleScenario } from './vehicle-scenario.ts'
import { vehiclesByMembers } from './vehicles/members.ts'
import { publishedVehicles } from './vehicles/published.ts'
import { vehiclesByStatus } from './vehicles/statuses.ts'
import { vehiclesByMotStatus, vehiclesByTaxStatus } from './vehicles/tax-and-mot.ts'

export type { VehicleOutcome, VehicleScenario } from './vehicle-scenario.ts'

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
