import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { transact } from '@despatch/postgres/transact'
import type { Database } from '@despatch/store/database'
import { driverLoadRow } from '@despatch/store/record-set/driver-load-row'
import { loadChunk } from '@despatch/store/record-set/load'
import { prepareAndPublish } from '@despatch/store/record-set/publish'
import { beginLoading } from '@despatch/store/record-set/record-sets'
import {
  abandonSet,
  beginPublishing,
  finishPublishing,
} from '@despatch/store/record-set/transitions'

const kind = 'uat-driver'
const deadlineMs = 60_000
const pollMs = 50

/**
 * Ensures that these drivers are the current set of the test environment. Several processes may do so at the same time.
 * If one is interrupted at any point, another continues. Throws if it takes longer than a minute.
 */
export async function publishUatDrivers(
  database: Database,
  drivers: readonly DriverRecord[],
): Promise<void> {
  const digest = hash('sha256', JSON.stringify(drivers), 'buffer')
  const signal = AbortSignal.timeout(deadlineMs)
  while (!(await isCurrent(database, digest))) {
    signal.throwIfAborted()
    if (!(await publish(database, { drivers, digest, signal }))) await pause(pollMs)
  }
}

async function isCurrent({ db }: Database, digest: Buffer): Promise<boolean> {
  const current = await db
    .selectFrom('record_set')
    .select('source_sha256')
    .where('kind', '=', kind)
    .where('state', '=', 'CURRENT')
    .executeTakeFirst()
  return current?.source_sha256.equals(digest) ?? false
}

type Publication = {
  drivers: readonly DriverRecord[]
  digest: Buffer
  signal: AbortSignal
}

/** Returns false if another process is publishing the set. */
async function publish(
  { db, pool }: Database,
  { drivers, digest, signal }: Publication,
): Promise<boolean> {
  const begun = await transact(db, (tx) =>
    beginLoading(tx, { kind, mode: 'replace', sourceSha256: digest, createdBy: 'driver-find' }),
  )
  const setId = begun.set.id
  if (begun.kind === 'conflict') {
    // a release with other drivers left this set unfinished; it cannot be abandoned while that release publishes it
    const moved = await transact(db, (tx) => abandonSet(tx, setId))
    return moved.kind !== 'conflict'
  }
  await loadChunk(pool, {
    setId,
    fromRow: 0,
    parts: inOnePart(drivers),
    numberMember: 'drivingLicenceNumber',
  })
  await transact(db, (tx) => beginPublishing(tx, setId))
  const finish = (recordCount: number) =>
    transact(db, async (tx) => {
      await finishPublishing(tx, { id: setId, recordCount })
    })
  return prepareAndPublish(pool, { setId, finish, signal })
}

async function* inOnePart(drivers: readonly DriverRecord[]) {
  yield drivers.map(driverLoadRow)
}
