import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import type { LoadRow } from './load.ts'

/** Returns the row to store for a vehicle. */
export function vehicleLoadRow(vehicle: VehicleRecord): LoadRow {
  const { registrationNumber } = vehicle
  return {
    kind: 'record',
    number: registrationNumber,
    tuples: { vehicle_record: [[registrationNumber, JSON.stringify(vehicle)]] },
  }
}
