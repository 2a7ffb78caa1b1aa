import { aRecordStore, driver, type RecordStore, vehicle } from '@despatch/testing/a-record-store'
import { eventually } from '@despatch/testing/eventually'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { prepareAndPublish } from '../src/record-set/publish.ts'
import { findRecordSet } from '../src/record-set/record-sets.ts'
import { beginPublishing, makeCurrent } from '../src/record-set/transitions.ts'

let store: RecordStore
beforeEach(async () => {
  store = await aRecordStore()
  return store.close
})

const inTransaction = <Result>(
  work: (
    tx: Parameters<Parameters<ReturnType<RecordStore['db']['transaction']>['execute']>[0]>[0],
  ) => Promise<Result>,
) => store.db.transaction().execute(work)

/** What an enquiry finds: vehicle makes by number, from the current set. */
async function seen(): Promise<Record<string, string>> {
  const { rows } = await store.pool.query(
    `select registration_number as number, record ->> 'make' as make from vehicle_record
     where set_id = (select id from record_set where kind = 'vehicle' and state = 'CURRENT')`,
  )
  return Object.fromEntries(rows.map(({ number, make }) => [number, make]))
}

describe('publishing', () => {
  test('replace: the new rows replace all rows', async () => {
    const first = await store.published([vehicle('A1', 'OLD'), vehicle('A2', 'OLD')])
    const second = await store.published([vehicle('A2', 'NEW')], { source: 'second' })

    expect(await seen()).toEqual({ A2: 'NEW' })
    expect(await findRecordSet(store.db, second)).toMatchObject({
      state: 'CURRENT',
      recordCount: 1,
    })
    expect(await findRecordSet(store.db, first)).toMatchObject({
      state: 'RETIRED',
      endedAt: expect.any(Date),
    })
  })

  test('update: the new rows are merged into the current set', async () => {
    await store.published([vehicle('A1', 'OLD'), vehicle('A2', 'OLD')])
    const second = await store.published([vehicle('A2', 'NEW'), vehicle('A3', 'NEW')], {
      source: 'second',
      mode: 'update',
    })

    expect(await seen()).toEqual({ A1: 'OLD', A2: 'NEW', A3: 'NEW' })
    expect(await findRecordSet(store.db, second)).toMatchObject({ recordCount: 3 })
  })

  test('update: the current set is copied in steps, each in its own transaction', async () => {
    const numbers = Array.from({ length: 7 }, (_, index) => `A${index}`)
    await store.published(numbers.map((number) => vehicle(number, 'OLD')))
    const { set } = await store.begin({ source: 'second', mode: 'update' })
    await store.load(set.id, [vehicle('A2', 'NEW'), vehicle('B1', 'NEW')])

    await store.publish(set.id, { recordsMax: 2 })

    const old = numbers.map((number) => [number, 'OLD'])
    expect(await seen()).toEqual({ ...Object.fromEntries(old), A2: 'NEW', B1: 'NEW' })
    const { rows } = await store.pool.query(
      `select count(distinct xmin::text)::integer as transactions from vehicle_record_s${set.id}
       where record ->> 'make' = 'OLD'`,
    )
    expect(rows).toEqual([{ transactions: 4 }])
  })

  test('update: after an interruption between two steps no row is copied twice', async () => {
    const kind = 'driver'
    const licences = ['MORGA657054SM9IJ', 'SMITH711215JS9AB', 'TAYLO657054SM9IJ']
    await store.published(
      licences.map((licence) => driver(licence)),
      { kind },
    )
    const { set } = await store.begin({ kind, source: 'second', mode: 'update' })
    await store.load(set.id, [driver('ABBOT657054SM9IJ')])
    await store.pool.query(`
      create function break_off() returns trigger language plpgsql as $$ begin raise exception 'broken off'; end $$;
      create trigger at_second before insert on driver_record_s${set.id} for each row
      when (new.driving_licence_number = 'SMITH711215JS9AB') execute function break_off()`)

    await expect(store.publish(set.id, { recordsMax: 1 })).rejects.toThrow('broken off')
    await store.pool.query(`drop trigger at_second on driver_record_s${set.id}`)
    await store.publish(set.id, { recordsMax: 1 })

    for (const table of ['driver_record', 'driver_search']) {
      const { rows } = await store.pool.query(
        `select driving_licence_number as number from ${table}_s${set.id} order by 1`,
      )
      expect(rows.map(({ number }) => number)).toEqual(['ABBOT657054SM9IJ', ...licences])
    }
  })

  test('update: identities and photographs of unchanged drivers are copied', async () => {
    const kind = 'driver'
    const photograph = Buffer.from([0xff, 0xd8, 0xff]).toString('base64')
    const previousDrivingLicences = [{ drivingLicenceNumber: 'OLD12', lastName: 'Hara' }]
    await store.published(
      [
        driver('MORGA657054SM9IJ', { photograph, previousDrivingLicences }),
        driver('SMITH711215JS9AB', { previousDrivingLicences }),
      ],
      { kind },
    )
    await store.published([driver('SMITH711215JS9AB')], { kind, source: 'second', mode: 'update' })

    const current = "set_id = (select id from record_set where state = 'CURRENT')"
    const { rows: identities } = await store.pool.query(
      `select driving_licence_number as number, identity, last_name from driver_search where ${current} order by 1, 2`,
    )
    expect(identities).toEqual([
      { number: 'MORGA657054SM9IJ', identity: 0, last_name: 'Morgan' },
      { number: 'MORGA657054SM9IJ', identity: 1, last_name: 'Hara' },
      { number: 'SMITH711215JS9AB', identity: 0, last_name: 'Morgan' },
    ])
    const { rows: photographs } = await store.pool.query(
      `select photograph from driver_record where ${current} and photograph is not null`,
    )
    expect(photographs).toEqual([{ photograph: Buffer.from(photograph, 'base64') }])
  })

  test('a published set has every index of its parent table', async () => {
    const setId = await store.published([driver('MORGA657054SM9IJ')], { kind: 'driver' })

    const indexesOf = async (table: string) =>
      Number(
        (
          await store.pool.query('select count(*) from pg_index where indrelid = $1::regclass', [
            table,
          ])
        ).rows[0].count,
      )
    expect(await indexesOf(`driver_search_s${setId}`)).toBe(await indexesOf('driver_search'))
    expect(await indexesOf(`driver_record_s${setId}`)).toBe(await indexesOf('driver_record'))
  })

  test('concurrent and repeated calls publish a set once', async () => {
    const { set } = await store.begin()
    await store.load(set.id, [vehicle('A1')])

    const done = await Promise.all(Array.from({ length: 4 }, () => store.publish(set.id)))

    expect(done).toContain(true)
    expect(await store.stateOf(set.id)).toBe('CURRENT')
    const before = await findRecordSet(store.db, set.id)
    expect(await store.publish(set.id)).toBe(true)
    expect(await findRecordSet(store.db, set.id)).toEqual(before)
    expect(await seen()).toEqual({ A1: 'ROVER' })
  })

  test.for(['completing', 'attaching', 'switching'] as const)(
    'an interruption while %s is resumed, and the previous set stays current until then',
    async (step) => {
      await store.published([vehicle('A1', 'OLD')])
      const { set } = await store.begin({ source: 'second', mode: 'update' })
      await store.load(set.id, [vehicle('A2', 'NEW')])
      await inTransaction((tx) => beginPublishing(tx, set.id))
      const blocker = new pg.Client({ connectionString: store.url })
      await blocker.connect()
      await blocker.query('begin')
      // another session locks what the step requires; then the step's session dies
      if (step === 'completing') {
        await blocker.query(`lock table vehicle_record_s${set.id} in share row exclusive mode`)
      } else if (step === 'attaching') {
        await blocker.query('lock table vehicle_record in share update exclusive mode')
      } else {
        await blocker.query('select from record_set where id = $1 for update', [set.id])
      }
      const broken = expectBroken(prepare(set.id))
      await eventually(() => endWaiting(), { message: 'the step waits' })
      await broken
      await blocker.end()

      expect(await seen()).toEqual({ A1: 'OLD' })
      // a session that is ended says so before it gives up its locks
      await eventually(async () => !(await findRecordSet(store.db, set.id))?.isBeingPublished, {
        message: 'nobody publishes the set',
      })
      expect(await store.stateOf(set.id)).toBe('PUBLISHING')
      expect(await store.publish(set.id)).toBe(true)
      expect(await seen()).toEqual({ A1: 'OLD', A2: 'NEW' })
    },
  )

  test('publishing stops when its signal aborts', async () => {
    const { set } = await store.begin()
    const blocker = new pg.Client({ connectionString: store.url })
    await blocker.connect()
    await blocker.query('begin')
    await blocker.query('lock table vehicle_record in share update exclusive mode')
    const stopping = new AbortController()

    const broken = expectBroken(store.publish(set.id, { signal: stopping.signal }))
    await eventually(async () => (await findRecordSet(store.db, set.id))?.isBeingPublished, {
      message: 'the set is being published',
    })
    stopping.abort()
    await broken

    await blocker.end()
    await eventually(async () => !(await findRecordSet(store.db, set.id))?.isBeingPublished, {
      message: 'the set is not being published any more',
    })
  })

  test('waits for an enquiry that was planned before the tables were attached', async () => {
    await store.published([vehicle('A1', 'OLD')])
    const { set } = await store.begin({ source: 'second' })
    await store.load(set.id, [vehicle('A1', 'NEW')])
    const enquiry = new pg.Client({ connectionString: store.url })
    await enquiry.connect()
    await enquiry.query('begin')
    await enquiry.query('select from vehicle_record limit 1')

    const published = store.publish(set.id)
    await eventually(
      async () =>
        (
          await store.pool.query('select from pg_inherits where inhrelid = $1::regclass', [
            `vehicle_record_s${set.id}`,
          ])
        ).rowCount,
      { message: 'the table is attached' },
    )
    await eventually(async () => (await store.stateOf(set.id)) === 'PUBLISHING', {
      message: 'the set waits for the enquiry',
    })
    await enquiry.query('commit')
    await published

    expect(await store.stateOf(set.id)).toBe('CURRENT')
    await enquiry.end()
  })
})

/** Publishes a set in PUBLISHING. The last step locks the set. */
function prepare(setId: number): Promise<boolean> {
  return prepareAndPublish(store.pool, {
    setId,
    finish: store.finish(setId),
    signal: new AbortController().signal,
  })
}

async function expectBroken(publication: Promise<unknown>): Promise<void> {
  await expect(publication).rejects.toThrow()
}

/** Ends the sessions that wait for a lock, as if their process died. */
async function endWaiting(): Promise<boolean> {
  const { rowCount } = await store.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  )
  return (rowCount ?? 0) > 0
}

describe('rolling back a record set', () => {
  test('makes the previous set current again, and can be reversed', async () => {
    const first = await store.published([vehicle('A1', 'OLD')])
    const second = await store.published([vehicle('A1', 'NEW')], { source: 'second' })

    await inTransaction((tx) => makeCurrent(tx, first))
    const back = await seen()
    await inTransaction((tx) => makeCurrent(tx, second))

    expect(back).toEqual({ A1: 'OLD' })
    expect(await seen()).toEqual({ A1: 'NEW' })
    expect(await store.stateOf(first)).toBe('RETIRED')
  })

  test('is refused while a set is being published, and to a set that is not retired', async () => {
    const first = await store.published([vehicle('A1')])
    await store.published([vehicle('A1')], { source: 'second' })
    const { set } = await store.begin({ source: 'third' })

    expect(await inTransaction((tx) => makeCurrent(tx, set.id))).toEqual({
      kind: 'conflict',
      reason: `Record set ${set.id} is LOADING and cannot be made current`,
    })
    await inTransaction((tx) => beginPublishing(tx, set.id))
    expect(await inTransaction((tx) => makeCurrent(tx, first))).toEqual({
      kind: 'conflict',
      reason: `Record set ${set.id} is being published`,
    })
  })
})
