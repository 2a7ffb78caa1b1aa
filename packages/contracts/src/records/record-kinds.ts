import { driverRecordSchema } from './driver-record.ts'
import { vehicleRecordSchema } from './vehicle-record.ts'

/** What can be imported. */
export const recordKinds = ['driver', 'vehicle'] as const
export type RecordKind = (typeof recordKinds)[number]

/** The rules of a row of each kind. */
export const recordSchemas = { driver: driverRecordSchema, vehicle: vehicleRecordSchema } as const

/** The member whose value no two rows of a source may share, as a reason names it. */
export const numberMembers = {
  driver: 'driver.drivingLicenceNumber',
  vehicle: 'registrationNumber',
} as const satisfies Record<RecordKind, string>
