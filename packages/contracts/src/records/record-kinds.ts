import { driverRecordSchema } from './driver-record.ts'
import { vehicleRecordSchema } from './vehicle-record.ts'

/** Kinds of records that can be imported. */
export const recordKinds = ['driver', 'vehicle'] as const
export type RecordKind = (typeof recordKinds)[number]

/** The schema of a row of each kind. */
export const recordSchemas = { driver: driverRecordSchema, vehicle: vehicleRecordSchema } as const

/** The member whose value must be unique within a source, as a reject names it. */
export const numberMembers = {
  driver: 'driver.drivingLicenceNumber',
  vehicle: 'registrationNumber',
} as const satisfies Record<RecordKind, string>
