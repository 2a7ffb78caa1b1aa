import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import type pg from 'pg'
import { createGroupLookup } from '../group-lookup.ts'

export type FindVehicle = (registrationNumber: string) => Promise<VehicleRecord | undefined>

const vehiclesPerLookupMax = 128
/** One lookup keeps the database busy while the answers of the other are sent. */
const lookupsMax = 2

/**
 * Finds vehicles by normalised registration number, in the set that is current when the statement begins: the old set
 * or the new one, never a mix. Concurrent callers share a statement.
 */
export function createVehicleLookup(pool: pg.Pool): FindVehicle {
  return createGroupLookup({
    find: (registrationNumbers) => findVehicles(pool, registrationNumbers),
    keysMax: vehiclesPerLookupMax,
    lookupsMax,
  })
}

type Row = { registration_number: string; record: VehicleRecord }

// The planner does not inspect an array from a subquery. One plan therefore serves any number of vehicles, and the
// statement is not planned again each time.
const select = {
  name: 'find-vehicles',
  text: `
    select registration_number, record from vehicle_record
    where set_id = (select id from record_set where kind = 'vehicle' and state = 'CURRENT')
      and registration_number = any (array(select unnest($1::text[])))`,
}

async function findVehicles(
  pool: pg.Pool,
  registrationNumbers: readonly string[],
): Promise<ReadonlyMap<string, VehicleRecord>> {
  const { rows } = await pool.query<Row>({ ...select, values: [registrationNumbers] })
  return new Map(rows.map(({ registration_number, record }) => [registration_number, record]))
}
