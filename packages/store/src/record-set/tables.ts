import type { RecordSetKind } from '../schema.ts'

/** The partitioned tables of each kind; the table of the numbers comes first. */
export const recordTables = {
  vehicle: ['vehicle_record'],
  driver: ['driver_record', 'driver_search'],
  'uat-driver': ['driver_record', 'driver_search'],
} as const satisfies Record<RecordSetKind, readonly string[]>

export type RecordTable = (typeof recordTables)[RecordSetKind][number]

/** The columns of each table that are loaded. The database computes the others. */
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

/** The column that identifies a record within a set. */
export const numberColumns = {
  vehicle: 'registration_number',
  driver: 'driving_licence_number',
  'uat-driver': 'driving_licence_number',
} as const satisfies Record<RecordSetKind, string>

/** Returns the name of the table of one set, which becomes a partition when the set is published. */
export function tableOfSet(table: RecordTable, setId: number): string {
  if (!Number.isSafeInteger(setId)) throw new Error('the id of a record set must be an integer')
  return `${table}_s${setId}`
}
