import { insertProvider } from '@despatch/store/access/consumers'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { beside } from '@despatch/testing/waits-or-ends'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  closeEmptyPrintRuns,
  listBusyRuns,
  lockGatheringRuns,
} from '../src/print-run/assign-to-runs.ts'
import { beginRelease, releasePrintRun } from '../src/print-run/release.ts'
import { noteReleaseFault, returnRelease, takeRelease } from '../src/print-run/take-release.ts'

const testDatabase = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(testDatabase.url))
const { db, pool } = runs
await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
// no run of one test is in the way of the next
beforeEach(() => pool.query(`update print_run set state = 'CLOSED', closed_at = now()`))

const lease = { leaseSeconds: 60 }
const limits = { ...lease, msMax: 60_000 }
const inTransaction = db.transaction()
const begin = (batchNumber: string) =>
  inTransaction.execute((tx) => beginRelease(tx, [batchNumber]))
const change = (batchNumber: string, values: string) =>
  pool.query(`update print_run set ${values} where batch_number = $1`, [batchNumber])
const read = (batchNumber: string) =>
  db
    .selectFrom('print_run')
    .selectAll()
    .where('batch_number', '=', batchNumber)
    .executeTakeFirstOrThrow()
const sequencesOf = async (batchNumber: string) => {
  const documents = db
    .selectFrom('print_run_document')
    .select('sequence')
    .where('batch_number', '=', batchNumber)
  return (await documents.orderBy('sequence').execute()).map(({ sequence }) => sequence)
}
const lockRun = (batchNumber: string) => ({
  statement: 'select from print_run where batch_number = $1 for update',
  values: [batchNumber],
})

describe('takeRelease', () => {
  const past = `clock_timestamp() - interval '1 second'`
  const future = `clock_timestamp() + interval '1 minute'`

  test.each([
    ['has begun', 'release_retry_at = null', true],
    ['has not begun', 'release_began_at = null', false],
    ['is leased by another process', `release_lease_until = ${future}`, false],
    ['was leased by a process that died', `release_lease_until = ${past}`, true],
    ['failed, and is to be tried later', `release_retry_at = ${future}`, false],
    ['failed, and is to be tried again', `release_retry_at = ${past}`, true],
    ['has ended', `state = 'RELEASED'`, false],
  ])('takes a run whose release %s: %#', async (_which, values, isTaken) => {
    const { batchNumber } = await runs.anOpenRun()
    await begin(batchNumber)
    await change(batchNumber, values)

    const taken = await takeRelease(db, lease)

    expect(taken?.batchNumber).toBe(isTaken ? batchNumber : undefined)
  })

  test('takes each run once, until its lease is given back', async () => {
    const { batchNumber } = await runs.anOpenRun()
    await begin(batchNumber)
    expect(await takeRelease(db, lease)).toMatchObject({ batchNumber })
    expect(await takeRelease(db, lease)).toBeUndefined()

    await returnRelease(db, batchNumber)

    expect(await takeRelease(db, lease)).toMatchObject({ batchNumber })
  })

  test('skips a run that another transaction has locked', async () => {
    const { batchNumber } = await runs.anOpenRun()
    await begin(batchNumber)

    const { first, result } = await beside(pool, lockRun(batchNumber), () => takeRelease(db, lease))

    expect([first, result]).toEqual(['ends', undefined])
  })

  test('a fault and a lease that is given back change no run but their own, and none that is released', async () => {
    const { batchNumber } = await runs.anOpenRun()
    await begin(batchNumber)
    await takeRelease(db, lease)
    const before = await read(batchNumber)
    const another = { batchNumber: 'R0', failures: 0 }

    await noteReleaseFault(db, another, 'Error')
    await returnRelease(db, another.batchNumber)
    expect(await read(batchNumber)).toEqual(before)

    await change(batchNumber, `state = 'RELEASED'`)
    await noteReleaseFault(db, { batchNumber, failures: 0 }, 'Error')
    await returnRelease(db, batchNumber)
    expect(await read(batchNumber)).toEqual({ ...before, state: 'RELEASED' })
  })
})

describe('releasePrintRun', () => {
  test.each([
    ['was released meanwhile', `state = 'RELEASED'`],
    ['goes on gathering', 'release_began_at = null'],
  ])('numbers nothing in a run that %s', async (_which, values) => {
    const { batchNumber } = await runs.anOpenRun(2)
    await begin(batchNumber)
    await change(batchNumber, values)

    expect(await releasePrintRun(db, { batchNumber, failures: 0 }, limits)).toBe('gone')

    expect(await sequencesOf(batchNumber)).toEqual([null, null])
  })

  test('numbers nothing in a run that another process is just releasing', async () => {
    const { batchNumber } = await runs.anOpenRun(2)
    await begin(batchNumber)

    const { first, result } = await beside(
      pool,
      {
        statement: `update print_run set state = 'RELEASED' where batch_number = $1`,
        values: [batchNumber],
      },
      () => releasePrintRun(db, { batchNumber, failures: 0 }, limits),
    )

    expect([first, result]).toEqual(['waits', 'gone'])
    expect(await sequencesOf(batchNumber)).toEqual([null, null])
  })

  test('gives no number to a document that is just being withdrawn', async () => {
    const { batchNumber, documentIds } = await runs.anOpenRun(2)
    await begin(batchNumber)

    const statement =
      'update print_run_document set removed_at = now() where batch_number = $1 and document_id = $2'
    const { first, result } = await beside(
      pool,
      { statement, values: [batchNumber, documentIds[0]] },
      () => releasePrintRun(db, { batchNumber, failures: 0 }, limits),
    )

    expect(first).toBe('waits')
    expect(await sequencesOf(batchNumber)).toEqual([1, null])
    expect(await read(batchNumber)).toMatchObject({ document_count: 1 })
    expect(result).not.toBe('gone')
  })
})

describe('gathering runs', () => {
  const lockAll = () => inTransaction.execute(lockGatheringRuns)

  test.each([
    ['is open', 'cut_off_at = null', true],
    ['an operator has moved', 'print_epoch = 2', false],
    ['is being released', 'release_began_at = now()', false],
    ['is released', `state = 'RELEASED'`, false],
  ])('are those that take documents: one that %s', async (_which, values, gathers) => {
    const { batchNumber } = await runs.anOpenRun()
    await change(batchNumber, values)

    const expected = gathers ? [{ batchNumber, documents: 1 }] : []
    expect(await lockAll()).toMatchObject(expected)
    expect(await inTransaction.execute((tx) => listBusyRuns(tx, []))).toHaveLength(expected.length)
  })

  test('that another transaction has locked are busy, and nobody waits for them', async () => {
    const { batchNumber } = await runs.anOpenRun()

    const { first, result } = await beside(pool, lockRun(batchNumber), () =>
      inTransaction.execute(async (tx) => {
        const locked = await lockGatheringRuns(tx)
        return { locked, busy: await listBusyRuns(tx, locked) }
      }),
    )

    expect(first).toBe('ends')
    expect(result).toMatchObject({ locked: [], busy: [{ batchNumber }] })
    const locked = await lockAll()
    expect(await inTransaction.execute((tx) => listBusyRuns(tx, locked))).toEqual([])
  })
})

describe('closeEmptyPrintRuns', () => {
  const close = () => inTransaction.execute(closeEmptyPrintRuns)
  const empty = (batchNumber: string) =>
    sql`update print_run_document set removed_at = now() where batch_number = ${batchNumber}`.execute(
      db,
    )

  test.each([
    ['open', `state = 'OPEN'`, true],
    ['released', `state = 'RELEASED'`, true],
    [
      'claimed',
      `state = 'CLAIMED', claimed_at = now(), manifest_version = 1, manifest_digest = ''`,
      false,
    ],
    ['moved by an operator', 'print_epoch = 2', false],
  ])('closes a run without documents that is %s: %#', async (_which, values, isClosed) => {
    const { batchNumber } = await runs.anOpenRun()
    await empty(batchNumber)
    await change(batchNumber, values)

    expect(await close()).toBe(isClosed ? 1 : 0)

    const { state } = await read(batchNumber)
    expect(state === 'CLOSED').toBe(isClosed)
  })

  test('leaves a run with a document, and one that another transaction has locked', async () => {
    const { batchNumber: full } = await runs.anOpenRun()
    await change(full, `print_location = 'ELSEWHERE'`)
    const { batchNumber } = await runs.anOpenRun()
    await empty(batchNumber)

    const { first, result } = await beside(pool, lockRun(batchNumber), close)

    expect([first, result]).toEqual(['ends', 0])
    expect(await close()).toBe(1)
    expect(await read(full)).toMatchObject({ state: 'OPEN', closed_at: null })
  })
})
