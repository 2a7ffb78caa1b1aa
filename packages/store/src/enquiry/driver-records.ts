import type pg from 'pg'
import { createGroupLookup } from '../group-lookup.ts'
import type { StoredCpc, StoredDriverRecord, StoredTachograph } from '../schema.ts'

const driversPerLookupMax = 128
/** Two, so that the database is busy with one lookup while the result of the other is sent. */
const lookupsMax = 2

// The set is found in the same statement, so that a new current set is seen whole or not at all.
const ofCurrentSet = `
  from driver_record
  where set_id = (select id from record_set where kind = 'driver' and state = 'CURRENT')`

// The planner does not inspect an array from a subquery, so one plan serves any number of drivers.
const findMany = {
  name: 'find-driver-records',
  text: `select driving_licence_number as number, record ${ofCurrentSet}
    and driving_licence_number = any (array(select unnest($1::text[])))`,
}

type FoundRecord = { number: string; record: StoredDriverRecord }

/**
 * Finds a driver's record in the current set, by the normalised number. Returns undefined if there is no such driver or
 * no current set. Concurrent enquiries share a query.
 */
export function createDriverLookup(
  pool: pg.Pool,
): (drivingLicenceNumber: string) => Promise<StoredDriverRecord | undefined> {
  return createGroupLookup({
    find: (numbers) => findDrivers(pool, numbers),
    keysMax: driversPerLookupMax,
    lookupsMax,
  })
}

async function findDrivers(
  pool: pg.Pool,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, StoredDriverRecord>> {
  const { rows } = await pool.query<FoundRecord>({ ...findMany, values: [numbers] })
  return new Map(rows.map(({ number, record }) => [number, record]))
}

const findOneCpc = {
  name: 'find-driver-cpc',
  text: `select cpc ${ofCurrentSet} and driving_licence_number = $1`,
}

/** Finds only the CPC data of a driver. Returns undefined if there is none. */
export async function findCpc(
  pool: pg.Pool,
  drivingLicenceNumber: string,
): Promise<StoredCpc | undefined> {
  type Row = { cpc: StoredCpc | null }
  const { rows } = await pool.query<Row>({ ...findOneCpc, values: [drivingLicenceNumber] })
  return rows[0]?.cpc ?? undefined
}

const findOneTachograph = {
  name: 'find-driver-tachograph',
  text: `select tachograph ${ofCurrentSet} and driving_licence_number = $1`,
}

/** Finds only the tachograph card data of a driver. Returns undefined if there is none. */
export async function findTachograph(
  pool: pg.Pool,
  drivingLicenceNumber: string,
): Promise<StoredTachograph | undefined> {
  type Row = { tachograph: StoredTachograph | null }
  const { rows } = await pool.query<Row>({ ...findOneTachograph, values: [drivingLicenceNumber] })
  return rows[0]?.tachograph ?? undefined
}
