import type { RecordSetKind } from '../schema.ts'

/** The partitioned table of the records of a kind, the one that holds their numbers first. */
export const recordTables = {
  vehicle: ['vehicle_record'],
  driver: ['driver_record', 'driver_search'],
  'uat-driver': ['driver_record', 'driver_search'],
} as const satisfies Record<RecordSetKind, readonly string[]>

export type RecordTable = (typeof recordTables)[RecordSetKind][number]

/** The columns of each table that are given; others are worked out by the database. */
export const recordColumns = {
  vehicle_record: ['set_id', 'registration_number', 'record'],
  driver_record: ['set_id', 'driving_licence_number', 'record', 'cpc', 'tachograph', 'photograph'],
  driver_search: [
    'set_id',
    'driving_licence_number',
    'identity',
    'first_names',
    'last_name',
    'date_of_birth',
    'previous_dates_of_birth',
    'postcode',
    'gender',
  ],
} as const satisfies Record<RecordTable, readonly string[]>

/** The column that tells the records of a set apart. */
export const numberColumns = {
  vehicle: 'registration_number',
  driver: 'driving_licence_number',
  'uat-driver': 'driving_licence_number',
} as const satisfies Record<RecordSetKind, string>

/** The table of one set, which becomes a partition when the set is published. */
export function tableOfSet(table: RecordTable, setId: number): string {
  if (!Number.isSafeInteger(setId)) throw new Error('the id of a record set must be an integer')
  return `${table}_s${setId}`
}
