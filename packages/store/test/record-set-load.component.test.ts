import { aRecordStore, driver, vehicle } from '@despatch/testing/a-record-store'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { findRecordSet, listRejectPage } from '../src/record-set/record-sets.ts'
import { abandonSet } from '../src/record-set/transitions.ts'

const store = await shared(aRecordStore())

const bad = { kind: 'rejected' as const, reasons: ['make must not be empty'] }

/** Begins a new set; abandons an unfinished one first. */
async function aSet(kind: 'vehicle' | 'driver' = 'vehicle'): Promise<number> {
  const { set, kind: outcome } = await store.begin({ kind, source: `source ${Math.random()}` })
  if (outcome === 'begun') return set.id
  await store.db.transaction().execute((tx) => abandonSet(tx, set.id))
  return aSet(kind)
}

async function numbersOf(setId: number): Promise<string[]> {
  const { rows } = await store.pool.query(
    `select registration_number as number from vehicle_record_s${setId} order by 1`,
  )
  return rows.map(({ number }) => number)
}

describe('beginning a record set', () => {
  test('continues for the same source, and is refused for another source or mode', async () => {
    const first = await store.begin({ kind: 'driver', source: 'one' })
    const again = await store.begin({ kind: 'driver', source: 'one' })
    const other = await store.begin({ kind: 'driver', source: 'other' })
    const otherMode = await store.begin({ kind: 'driver', source: 'one', mode: 'update' })

    expect([first.kind, again.kind, other.kind, otherMode.kind]).toEqual([
      'begun',
      'resumed',
      'conflict',
      'conflict',
    ])
    expect(new Set([first, again, other, otherMode].map(({ set }) => set.id)).size).toBe(1)
  })

  test('succeeds once for several concurrent callers', async () => {
    const kind = 'uat-driver'

    const begun = await Promise.all(Array.from({ length: 8 }, () => store.begin({ kind })))

    expect(begun.map((outcome) => outcome.kind).sort()).toEqual([
      'begun',
      ...Array.from({ length: 7 }, () => 'resumed'),
    ])
  })
})

describe('loading a record set', () => {
  test('accepts rows and returns the reasons of rejected rows', async () => {
    const setId = await aSet()

    const loaded = await store.load(setId, [vehicle('A1'), bad, vehicle('A2')])

    expect(loaded).toEqual({
      kind: 'loaded',
      rowsRead: 3,
      accepted: 2,
      rejected: [{ row: 2, reasons: ['make must not be empty'] }],
    })
    expect(await numbersOf(setId)).toEqual(['A1', 'A2'])
    expect(await findRecordSet(store.db, setId)).toMatchObject({ rowsRead: 3, rowsRejected: 1 })
  })

  test('accepts the first of several rows with the same number', async () => {
    const setId = await aSet()

    await store.load(setId, [vehicle('A1', 'FIRST'), vehicle('A1', 'SECOND')])
    const { rejected } = (await store.load(setId, [vehicle('A2'), vehicle('A1', 'THIRD')], 2)) as {
      rejected: unknown
    }

    const reasons = ['number repeats that of an earlier row']
    expect(rejected).toEqual([{ row: 4, reasons }])
    expect(await listRejectPage(store.db, { setId, after: 0, rejectsMax: 9 })).toEqual([
      { row: 2, reasons },
      { row: 4, reasons },
    ])
    const { rows } = await store.pool.query(`select record from vehicle_record_s${setId}`)
    expect(rows.map(({ record }) => record.make)).toEqual(['FIRST', 'ROVER'])
  })

  test('of repeated rows, in any chunks, changes nothing and returns the same result', async () => {
    const setId = await aSet()
    const rows = [vehicle('A1'), bad, vehicle('A1'), vehicle('A4')]

    const first = await store.load(setId, rows)
    const again = await store.load(setId, rows)
    const longer = await store.load(setId, [...rows.slice(1), vehicle('A5'), bad], 1)

    expect(again).toEqual(first)
    expect(longer).toMatchObject({
      rowsRead: 6,
      accepted: 2,
      rejected: [{ row: 2 }, { row: 3 }, { row: 6 }],
    })
    expect(await numbersOf(setId)).toEqual(['A1', 'A4', 'A5'])
  })

  test('reads rows once that arrive several times at once', async () => {
    const setId = await aSet()
    const rows = [vehicle('A1'), bad, vehicle('A3')]

    const answers = await Promise.all(Array.from({ length: 8 }, () => store.load(setId, rows)))

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await findRecordSet(store.db, setId)).toMatchObject({ rowsRead: 3, rowsRejected: 1 })
  })

  test('stores nothing of a chunk that breaks off, and accepts the chunk again', async () => {
    const setId = await aSet()
    await store.load(setId, [vehicle('A1')])
    const broken = {
      kind: 'record' as const,
      number: 'A3',
      tuples: { vehicle_record: [['A3', '{']] },
    }

    await expect(store.load(setId, [vehicle('A2'), bad, broken], 1)).rejects.toThrow('json')

    expect(await numbersOf(setId)).toEqual(['A1'])
    expect(await findRecordSet(store.db, setId)).toMatchObject({ rowsRead: 1, rowsRejected: 0 })
    expect(await store.load(setId, [vehicle('A2'), bad], 1)).toMatchObject({ rowsRead: 3 })
  })

  test('refuses rows after a gap, of an unknown set, or of a set that is not loading', async () => {
    const setId = await aSet()
    await store.load(setId, [vehicle('A1')])

    expect(await store.load(setId, [vehicle('A3')], 2)).toEqual({ kind: 'gap', rowsRead: 1 })
    expect(await store.load(999_999, [])).toEqual({ kind: 'unknown' })
    await store.db.transaction().execute((tx) => abandonSet(tx, setId))
    expect(await store.load(setId, [vehicle('A2')], 1)).toEqual({ kind: 'not-loading' })
  })

  test('stores a driver in parts: record, sources, photograph, and a row for each identity', async () => {
    const setId = await aSet('driver')
    const special = 'Line\n"quoted"\ttab \\back'

    const loaded = await store.load(setId, [
      driver('MORGA657054SM9IJ', {
        driver: {
          firstNames: 'Sarah',
          address: { unstructuredAddress: { line1: special, postcode: 'sa1 2bc' } },
        },
        cpcs: [{ national: true }],
        tachoUnderPreviousDln: true,
        photograph: Buffer.from([0xff, 0xd8, 0xff, 0x00, 0x0a]).toString('base64'),
        previousDrivingLicences: [
          { drivingLicenceNumber: 'OLD12', lastName: "O'Hara", dateOfBirth: '1965-07-06' },
          {
            drivingLicenceNumber: 'OLD13',
            firstNames: 'Sal',
            lastName: 'Morgan',
            dateOfBirth: '1965-07-05',
          },
        ],
      }),
      driver('SMITH711215JS9AB'),
    ])

    expect(loaded).toMatchObject({ accepted: 2, rejected: [] })
    const { rows: records } = await store.pool.query(
      `select driving_licence_number as number, record, cpc, tachograph, photograph from driver_record_s${setId} order by 1`,
    )
    expect(records).toMatchObject([
      {
        number: 'MORGA657054SM9IJ',
        record: { driver: { address: { unstructuredAddress: { line1: special } } } },
        cpc: { cpcs: [{ national: true }] },
        tachograph: { tachoCards: [], tachoUnderPreviousDln: true },
        photograph: Buffer.from([0xff, 0xd8, 0xff, 0x00, 0x0a]),
      },
      { number: 'SMITH711215JS9AB', cpc: null, tachograph: null, photograph: null },
    ])
    expect(Object.keys(records[0].record)).toEqual([
      'driver',
      'licence',
      'entitlement',
      'endorsements',
      'token',
    ])
    const { rows: identities } = await store.pool.query(
      `select identity, first_names, last_name, date_of_birth, previous_dates_of_birth::text as previous, postcode, gender
       from driver_search_s${setId} where driving_licence_number = 'MORGA657054SM9IJ' order by 1`,
    )
    const same = {
      date_of_birth: '1965-07-05',
      previous: '{1965-07-06}',
      postcode: 'SA12BC',
      gender: 'Female',
    }
    expect(identities).toEqual([
      { identity: 0, first_names: 'Sarah', last_name: 'Morgan', ...same },
      { identity: 1, first_names: null, last_name: "O'Hara", ...same },
      { identity: 2, first_names: 'Sal', last_name: 'Morgan', ...same },
    ])
  })
})
