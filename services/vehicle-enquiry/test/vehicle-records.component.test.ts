import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import { aDatabase } from '@despatch/testing/a-database'
import { expect, onTestFinished, test } from 'vitest'
import { createVehicleLookup } from '../src/operations/get-vehicle.ts'

async function someVehicleSets({ connectionsMax = 6 } = {}) {
  const database = await aDatabase({ connectionsMax })
  onTestFinished(database.close)
  const { pool } = database

  /** Inserts a set of these records that is not current yet. */
  async function load(records: readonly VehicleRecord[]): Promise<number> {
    const { rows } = await pool.query<{ id: number }>(
      `insert into record_set (kind, mode, state, source_sha256, created_by)
       values ('vehicle', 'replace', 'LOADING', '', 'test') returning id`,
    )
    const { id } = rows[0]!
    await pool.query(
      `create table vehicle_record_s${id} partition of vehicle_record for values in (${id})`,
    )
    await pool.query(
      `insert into vehicle_record (set_id, registration_number, record)
       select $1, record ->> 'registrationNumber', record from json_array_elements($2::json) as each (record)`,
      [id, JSON.stringify(records)],
    )
    return id
  }

  async function publish(id: number): Promise<void> {
    await database.db.transaction().execute(async (tx) => {
      const retired = tx.updateTable('record_set').set({ state: 'RETIRED' })
      await retired.where('kind', '=', 'vehicle').where('state', '=', 'CURRENT').execute()
      await tx.updateTable('record_set').set({ state: 'CURRENT' }).where('id', '=', id).execute()
    })
  }

  return { pool, load, publish, find: createVehicleLookup(pool) }
}

const ford = { registrationNumber: 'AA19AAA', make: 'FORD', yearOfManufacture: 2019 }
const audi = { registrationNumber: 'L2WPS', make: 'AUDI' }

test('finds a vehicle of the current set only under its own number', async () => {
  const { find, load, publish } = await someVehicleSets()
  await publish(await load([ford, audi]))

  const found = await Promise.all(
    ['AA19AAA', 'L2WPS', 'aa19aaa', 'AA19AA', '', 'AA19AAA'].map((number) => find(number)),
  )

  expect(found).toEqual([ford, audi, undefined, undefined, undefined, ford])
})

test('finds nothing without a current set, in a set that is being loaded or in a retired set', async () => {
  const { find, load, publish } = await someVehicleSets()
  const first = await load([ford])
  expect(await find('AA19AAA')).toBeUndefined()

  await publish(first)
  await publish(await load([audi]))

  expect(await Promise.all([find('AA19AAA'), find('L2WPS')])).toEqual([undefined, audi])
})

test('finds more vehicles at once than fit into one lookup', async () => {
  const { find, load, publish } = await someVehicleSets()
  const numbers = Array.from({ length: 1_000 }, (_, index) => `V${index}`)
  const records = numbers.map((registrationNumber) => ({ registrationNumber }))
  await publish(await load(records))

  expect(await Promise.all(numbers.map((number) => find(number)))).toEqual(records)
})

test('reads only one set at a time while sets are replaced', async () => {
  const { find, load, publish } = await someVehicleSets()
  const sets: number[] = []
  for (const make of ['ONE', 'OTHER']) {
    sets.push(await load([ford, audi].map((record) => ({ ...record, make }))))
    await publish(sets.at(-1)!)
  }
  const turns = { isOver: false }
  const seen = new Set<string>()
  const taking = takeTurns()
  // On a busy machine, forty turns can pass between two readings.
  async function takeTurns() {
    for (let turn = 0; turn < 40 || (seen.size < 2 && turn < 4_000); turn++) {
      await publish(sets[turn % 2]!)
    }
    turns.isOver = true
  }

  while (!turns.isOver) {
    const pair = await Promise.all([find('AA19AAA'), find('L2WPS')])
    seen.add(pair.map((record) => record?.make).join())
  }
  await taking

  expect([...seen].sort()).toEqual(['ONE,ONE', 'OTHER,OTHER'])
})

test('a failed lookup fails for all callers that share the lookup', async () => {
  const { find, pool } = await someVehicleSets()
  await pool.query('drop table vehicle_record')

  const asked = await Promise.allSettled([find('AA19AAA'), find('L2WPS')])

  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('is planned once for any number of vehicles, and reads only the index of the current set', async () => {
  const { find, load, publish, pool } = await someVehicleSets({ connectionsMax: 1 })
  const numbers = Array.from({ length: 5_000 }, (_, index) => `V${index}`)
  await publish(await load([ford]))
  const current = await load(numbers.map((registrationNumber) => ({ registrationNumber })))
  await publish(current)
  await pool.query('analyze vehicle_record')

  for (let round = 1; round <= 20; round++) {
    await Promise.all(numbers.slice(0, round % 7).map((number) => find(number)))
  }

  const { rows: statements } = await pool.query(
    `select custom_plans, generic_plans > 5 as is_kept from pg_prepared_statements where name = 'find-vehicles'`,
  )
  const { rows: plan } = await pool.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, costs off, timing off, summary off, buffers off) execute "find-vehicles" ('{V7}')`,
  )
  expect(statements).toEqual([{ custom_plans: 5, is_kept: true }])
  const scans = plan
    .map((row) => row['QUERY PLAN'])
    .filter((step) => / vehicle_record/.test(step) && !step.includes('(never executed)'))
  const index = `Scan.* (using|on) vehicle_record_s${current}_pkey`
  expect(scans.filter((scan) => !/Heap Scan/.test(scan))).toEqual([expect.stringMatching(index)])
})
