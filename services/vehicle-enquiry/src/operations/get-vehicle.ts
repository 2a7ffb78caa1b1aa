import { getVehicle as operation } from '@despatch/contracts/vehicle-enquiry/operations'
import { renderVehicle } from '@despatch/contracts/vehicle-enquiry/vehicle-response'
import { Problem } from '@despatch/domain/problem'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import type { Api } from '@despatch/http/api'
import { describeEnquiry } from '@despatch/http/audited-enquiry'
import type { Database } from '@despatch/store/database'
import { createGroupLookup } from '@despatch/store/group-lookup'
import type { VehicleOutcome, VehicleScenario } from '@despatch/uat-scenarios/vehicle-scenarios'

type GetVehicleContext = {
  findVehicle: FindVehicle
  /** Returns the test environment's scenario for a number. It takes precedence over the records. */
  findScenario?: (registrationNumber: string) => VehicleScenario | undefined
  hashNumber: (registrationNumber: string) => Buffer
  now: () => Date
}

/** POST /vehicles: returns the record of the vehicle with this registration number, in upper or lower case. */
export function getVehicle(api: Api, context: GetVehicleContext): void {
  const { findVehicle, findScenario, hashNumber, now } = context
  api.route({
    ...operation,
    handler: async (request) => {
      const registrationNumber = request.body.registrationNumber.toUpperCase()
      describeEnquiry(request, { numberHash: hashNumber(registrationNumber) })

      const scenario = findScenario?.(registrationNumber)
      const record = scenario
        ? playOut(scenario.outcome, now())
        : await findVehicle(registrationNumber)
      if (!record) throw new Problem('vehicle-not-found', 'Record for vehicle not found')
      return renderVehicle(record)
    },
  })
}

function playOut(outcome: VehicleOutcome, now: Date): VehicleRecord {
  switch (outcome.kind) {
    case 'record':
      return outcome.record(now)
    case 'problem':
      throw new Problem(outcome.problem, outcome.detail)
    case 'fault':
      throw new Error('A scenario of the test environment requests a fault')
  }
}

type FindVehicle = (registrationNumber: string) => Promise<VehicleRecord | undefined>

const vehiclesPerLookupMax = 128
/** One lookup keeps the database busy while the answers of the other are sent. */
const lookupsMax = 2

/**
 * Finds vehicles by normalised registration number, in the set that is current when the statement begins: the old set
 * or the new one, never a mix. Concurrent callers share a statement.
 */
export function createVehicleLookup(pool: Database['pool']): FindVehicle {
  return createGroupLookup({
    find: (registrationNumbers) => findVehicles(pool, registrationNumbers),
    keysMax: vehiclesPerLookupMax,
    lookupsMax,
  })
}

type Row = { registration_number: string; record: VehicleRecord }

// The planner does not inspect an array from a subquery. One plan therefore serves any number of vehicles, and the
// statement is not planned again each time.
const statement = {
  name: 'find-vehicles',
  text: `
    select registration_number, record from vehicle_record
    where set_id = (select id from record_set where kind = 'vehicle' and state = 'CURRENT')
      and registration_number = any (array(select unnest($1::text[])))`,
}

async function findVehicles(
  pool: Database['pool'],
  registrationNumbers: readonly string[],
): Promise<ReadonlyMap<string, VehicleRecord>> {
  const { rows } = await pool.query<Row>({ ...statement, values: [registrationNumbers] })
  return new Map(rows.map(({ registration_number, record }) => [registration_number, record]))
}
