import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  fullDriverEnquiryPrefix,
  retrieveDrivingLicence,
} from '@despatch/contracts/full-driver-enquiry/operations'
import { renderRetrieveResponse } from '@despatch/contracts/full-driver-enquiry/render-response'
import { recordSchemas } from '@despatch/contracts/records/record-kinds'
import { getVehicle, vehicleEnquiryPrefix } from '@despatch/contracts/vehicle-enquiry/operations'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import type { Database } from '@despatch/store/database'
import { driverLoadRow } from '@despatch/store/record-set/driver-load-row'
import { vehicleLoadRow } from '@despatch/store/record-set/vehicle-load-row'
import { generateDrivers } from '@despatch/synthetic/drivers'
import { generateVehicles } from '@despatch/synthetic/vehicles'
import { profileFlags, type Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { makeConsumer } from '../consumer.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { latencies, loadInTurn, type Round, rates } from '../load-in-turn.ts'
import type { Program } from '../program.ts'
import { loadRecordSet, type RecordSource } from '../records/load-record-set.ts'
import { makeBareAnswers } from './bare-answers.ts'
import { requireSameAnswers } from './same-answer.ts'

/** The same pool size on both sides: that of the enquiry services. */
const poolConnectionsMax = 8
const seed = 1
/** Nothing listens there: no request asks for data of the sources. */
const noSource = 'http://127.0.0.1:9'

/** An enquiry service, and how the bare route gives the same answers. */
type Subject<Row> = Omit<RecordSource<Row>, 'keep'> & {
  service: string
  path: string
  environment: Record<string, string>
  member: string
  numberOf: (record: Row) => string
  answerOf: (record: Row) => object
}

/** Compares both enquiry services with a bare route that finds the same answer by one SELECT. */
export function measureEnquiry(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 4 }, async (database) => {
    await database.pool.query('create schema bench')
    const { headers } = await makeConsumer(database.db, ground)
    const { authorization: _, ...withKeyAlone } = headers
    const load = await ground.start('test/load/intake/load-main.ts')
    const stage = { ground, settings, database, load }
    return [
      await measure(stage, vehicles(settings), withKeyAlone),
      await measure(stage, drivers(settings), headers),
    ]
  })
}

function vehicles({ drivers: count }: Settings): Subject<VehicleRecord> {
  return {
    kind: 'vehicle',
    records: generateVehicles({ seed, count, today: today() }),
    schema: recordSchemas.vehicle,
    toLoadRow: vehicleLoadRow,
    service: vehicleEnquiryPrefix.slice(1),
    path: getVehicle.url,
    environment: {},
    member: 'registrationNumber',
    numberOf: (vehicle) => vehicle.registrationNumber,
    answerOf: (vehicle) => vehicle,
  }
}

function drivers({ drivers: count }: Settings): Subject<DriverRecord> {
  return {
    kind: 'driver',
    records: generateDrivers({ seed, count, today: today(), imagePercent: 0 }),
    schema: recordSchemas.driver,
    toLoadRow: driverLoadRow,
    service: fullDriverEnquiryPrefix.slice(1),
    path: retrieveDrivingLicence.url,
    environment: {
      DESPATCH_CPC_URL: noSource,
      DESPATCH_TACHOGRAPH_URL: noSource,
      DESPATCH_SOURCE_TOKEN: randomBytes(32).toString('hex'),
    },
    member: 'drivingLicenceNumber',
    numberOf: ({ driver }) => driver.drivingLicenceNumber,
    answerOf: (driver) => renderRetrieveResponse(driver, { missing: [] }),
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

type Stage = { ground: Ground; settings: Settings; database: Database; load: Program }

async function measure<Row>(
  { ground, settings, database, load }: Stage,
  subject: Subject<Row>,
  headers: Record<string, string>,
): Promise<Comparison> {
  const { connections } = settings
  const { kind, service, path, environment, member } = subject
  const table = `bench.bare_${kind}`
  const bodiesPath = join(ground.directory, `${service}.ndjson`)
  const answers = await makeBareAnswers(database, { ...subject, table, bodiesPath })
  const { rows } = await loadRecordSet(ground, database, { ...subject, keep: answers.keep })
  await answers.finish()

  const ours = await ground.serve(`services/${service}/src/main.ts`, {
    environment,
    nodeFlags: profileFlags(settings),
  })
  const theirs = await ground.serve('test/load/enquiry/bare-select-main.ts', {
    environment: { TABLE: table, MEMBER: member, CONNECTIONS_MAX: String(poolConnectionsMax) },
  })
  const targets = {
    ours: { origin: ours.origin, path, headers },
    theirs: {
      origin: theirs.origin,
      path: '/enquiries',
      headers: { 'content-type': 'application/json' },
    },
  }
  await requireSameAnswers(targets.ours, targets.theirs, bodiesPath)
  const rounds = await loadInTurn(ground, settings, load, {
    name: service,
    body: { path: bodiesPath },
    connections,
    ...targets,
  })
  for (const { program } of [ours, theirs]) await program.stop()
  return compare(
    rounds,
    `${service}, ${rows.toLocaleString('en-GB')} records, ${connections} connections`,
  )
}

function compare(rounds: readonly Round[], scenario: string): Comparison {
  return {
    scenario,
    rival: 'bare SELECT',
    measures: [
      { ...rates(rounds), target: { sense: 'at least', ratio: 0.8 } },
      latencies(rounds, 'p50Ms', 'p50 ms'),
      latencies(rounds, 'p99Ms', 'p99 ms'),
    ],
    notes: [],
  }
}
