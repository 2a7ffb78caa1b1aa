import { hash } from 'node:crypto'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { driverLoadRow } from '@despatch/store/record-set/driver-load-row'
import { type LoadRow, loadChunk } from '@despatch/store/record-set/load'
import { prepareAndPublish } from '@despatch/store/record-set/publish'
import { beginLoading, findRecordSet } from '@despatch/store/record-set/record-sets'
import { beginPublishing, finishPublishing } from '@despatch/store/record-set/transitions'
import { vehicleLoadRow } from '@despatch/store/record-set/vehicle-load-row'
import type { RecordSetKind, RecordSetMode } from '@despatch/store/schema'
import { aDatabase } from './a-database.ts'

const numberMember = 'number'

export type RecordStore = Awaited<ReturnType<typeof aRecordStore>>
type Source = { kind?: RecordSetKind; mode?: RecordSetMode; source?: string }

/** A database of its own, with short forms of the import steps. */
export async function aRecordStore() {
  const database = await aDatabase({ connectionsMax: 12 })
  const { db, pool } = database

  const begin = ({ kind = 'vehicle', mode = 'replace', source = 'a source' }: Source = {}) =>
    db.transaction().execute((tx) =>
      beginLoading(tx, {
        kind,
        mode,
        sourceSha256: hash('sha256', source, 'buffer'),
        createdBy: 'test',
      }),
    )

  const load = (setId: number, rows: readonly LoadRow[], fromRow = 0) =>
    loadChunk(pool, { setId, fromRow, parts: inParts(rows), numberMember })

  const finish = (setId: number) => (recordCount: number) =>
    db.transaction().execute(async (tx) => {
      await finishPublishing(tx, { id: setId, recordCount })
    })

  /** Returns whether this call published the set. */
  async function publish(
    setId: number,
    {
      signal = new AbortController().signal,
      recordsMax,
    }: { signal?: AbortSignal; recordsMax?: number } = {},
  ) {
    await db.transaction().execute((tx) => beginPublishing(tx, setId))
    return prepareAndPublish(pool, {
      setId,
      finish: finish(setId),
      signal,
      ...(recordsMax && { recordsMax }),
    })
  }

  /** Loads and publishes a set; returns its id. */
  async function published(rows: readonly LoadRow[], source: Source = {}): Promise<number> {
    const { set } = await begin(source)
    await load(set.id, rows)
    await publish(set.id)
    return set.id
  }

  const stateOf = async (setId: number) => (await findRecordSet(db, setId))?.state

  return { ...database, begin, load, finish, publish, published, stateOf }
}

/** Returns the rows in parts of two. */
async function* inParts(rows: readonly LoadRow[]): AsyncGenerator<LoadRow[]> {
  for (let start = 0; start < rows.length; start += 2) yield rows.slice(start, start + 2)
}

export function vehicle(registrationNumber: string, make = 'ROVER'): LoadRow {
  return vehicleLoadRow({ registrationNumber, make })
}

export function driver(
  drivingLicenceNumber: string,
  details: Partial<Omit<DriverRecord, 'driver'>> & {
    driver?: Partial<DriverRecord['driver']>
  } = {},
): LoadRow {
  return driverLoadRow({
    licence: { type: 'Full', status: 'Valid' },
    entitlement: [],
    endorsements: [],
    token: {},
    ...details,
    driver: {
      drivingLicenceNumber,
      lastName: 'Morgan',
      gender: 'Female',
      dateOfBirth: '1965-07-05',
      ...details.driver,
    },
  })
}
