import type { Tx } from '@despatch/store/database'
import { gatherPrintRuns } from '@despatch/store/print-run/gather'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aPrintFloor, type Letter, type PrintFloor } from './a-print-floor.ts'

const anHourMs = 3_600_000
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString()
const first: Letter = { params: { despatchMethod: 'FIRST' } }
const second: Letter = {}
const many = (count: number, letter: Letter) => Array<Letter>(count).fill(letter)

let floor: PrintFloor
beforeEach(async () => {
  floor = await aPrintFloor()
})
afterEach(() => floor.close())

const pass = ({ runAgeMs = anHourMs, jobsMax = 5 } = {}) =>
  gatherAndRelease(floor.own.db, { runAgeMs, documentsMax: 1_000, jobsMax })

const listStates = async () =>
  (await floor.listRuns()).map(({ method, state, documents }) => ({ method, state, documents }))

async function keysInRuns(): Promise<string[]> {
  return (await floor.listHeld()).toSorted()
}

describe('the cut-off of a run', () => {
  test('does not wait for any number of letters that no site can take', async () => {
    await floor.addProvider('south', { can: { despatchMethods: ['SECOND'] } })
    await floor.addPending(...many(20, first))
    await floor.addPending(second)

    expect(await pass({ runAgeMs: 0 })).toMatchObject({
      gathered: 1,
      released: [expect.any(String)],
      isMore: false,
    })
  })

  test('does not wait for letters of its stream that only another site can take', async () => {
    await floor.addProvider('north', { can: { sheetsMax: 1 } })
    await floor.addPending({ sheets: 1 })
    await pass()
    await floor.changeSite('north', { enabled: false })
    await floor.addProvider('south', { can: { sheetsMax: 2 } })
    await set('update print_run set moved_from = batch_number')
    await floor.addPending(...many(20, { sheets: 2 }))

    expect(await pass({ runAgeMs: 0 })).toMatchObject({ isMore: true })

    expect(await floor.listRuns()).toMatchObject([
      { provider: 'north', state: 'RELEASED', documents: 1 },
      { provider: 'south', state: 'OPEN', documents: 5 },
    ])
  })

  test('waits for all letters of its stream, also those beyond one pass', async () => {
    await floor.addProvider('south')
    await floor.addPending(...many(12, second))

    const states = []
    for (let passes = 0; passes < 3; passes++) {
      await pass({ runAgeMs: 0 })
      states.push(await listStates())
    }

    expect(states).toEqual([
      [{ method: 'SECOND', state: 'OPEN', documents: 5 }],
      [{ method: 'SECOND', state: 'OPEN', documents: 10 }],
      [{ method: 'SECOND', state: 'RELEASED', documents: 12 }],
    ])
  })

  test('waits for letters of its stream, also behind more groups than a pass reads', async () => {
    await floor.addProvider('south')
    await floor.addPending(second)
    await pass()
    for (const sheets of [1, 2, 3, 4, 5]) await floor.addPending(...many(3, { ...first, sheets }))
    await floor.addPending(second)

    const states = []
    for (let passes = 0; passes < 4; passes++) {
      await pass({ runAgeMs: 0 })
      states.push((await listStates()).find(({ method }) => method === 'SECOND'))
    }

    expect(states).toEqual([
      { method: 'SECOND', state: 'OPEN', documents: 1 },
      { method: 'SECOND', state: 'OPEN', documents: 1 },
      { method: 'SECOND', state: 'OPEN', documents: 1 },
      { method: 'SECOND', state: 'RELEASED', documents: 2 },
    ])
  })
})

test('a pass neither reads nor changes letters that no site can take', async () => {
  await floor.addProvider('south', { can: { despatchMethods: ['FIRST'] } })
  await floor.addManyPending(2_000)
  const [routable] = await floor.addPending(first)
  await set('analyze print_job')

  const { outcome, before, after } = await floor.own.db.transaction().execute(async (tx) => {
    const limits = { runAgeMs: anHourMs, documentsMax: 1_000, jobsMax: 5_000 }
    const workBefore = await readWork(tx)
    const gathered = await gatherPrintRuns(tx, limits)
    return { outcome: gathered, before: workBefore, after: await readWork(tx) }
  })

  expect(outcome).toMatchObject({ gatheredFirst: [routable!.key], isMore: false })
  expect(after.updated - before.updated).toBe(1)
  expect(after.read - before.read).toBeLessThan(50)
  expect(after.entries - before.entries).toBeLessThan(50)
})

/** Returns how many print jobs, and entries of their indexes, the session has read, and how many it has updated. */
async function readWork(tx: Tx): Promise<{ read: number; entries: number; updated: number }> {
  const { rows } = await sql<{ read: number; entries: number; updated: number }>`
    select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read, n_tup_upd as updated,
      (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = relid)::bigint as entries
    from pg_stat_xact_user_tables where relname = 'print_job'`.execute(tx)
  return rows[0]!
}

const set = (text: string) => floor.database.pool.query(text)

describe('letters that no site could take are gathered by the next pass', () => {
  type Site = Parameters<PrintFloor['addProvider']>[1]
  const aSite = (site?: Site) => floor.addProvider('south', site)
  const waysBack: [name: string, before: () => Promise<unknown>, change: () => Promise<unknown>][] =
    [
      [
        'once its site is enabled',
        () => aSite().then(() => floor.changeSite('south', { enabled: false })),
        () => floor.changeSite('south', { enabled: true }),
      ],
      [
        'once its site has a share',
        () => aSite({ share: 0 }),
        () => floor.changeSite('south', { share: 1 }),
      ],
      ['once there is a site at all', async () => {}, () => aSite()],
      [
        'once its site reports another despatch method',
        () => aSite({ can: { despatchMethods: ['SECOND'] } }),
        () => floor.changeSite('south', { can: { despatchMethods: ['FIRST'] } }),
      ],
      [
        'once maintenance ends',
        () =>
          aSite({ can: { maintenance: [{ from: fromNow(-anHourMs), until: fromNow(anHourMs) }] } }),
        // as if the hour had passed
        () =>
          set(`update print_site set capabilities =
            jsonb_set(capabilities, '{maintenance,0,until}', to_jsonb(now() - interval '1 second'))`),
      ],
      [
        'once its provider is seen again',
        () =>
          aSite({ awaySecondsMax: 60 }).then(() =>
            set(`update provider set last_seen_at = now() - interval '1 hour'`),
          ),
        () => set('update provider set last_seen_at = now()'),
      ],
      [
        'once its contract has paper that a site has',
        () => aSite().then(() => set(`update contract set stationery = 'CREST'`)),
        () => set(`update contract set stationery = 'A4-PLAIN'`),
      ],
      [
        'once its document has fewer sheets',
        () =>
          aSite({ can: { sheetsMax: 1 } }).then(() =>
            set('update print_job set document_sheets = 2'),
          ),
        () => set('update print_job set document_sheets = 1'),
      ],
    ]

  test.each(waysBack)('%s', async (_name, before, change) => {
    const [letter] = await floor.addPending(first)
    await before()

    expect([await pass(), await keysInRuns()]).toMatchObject([{ gathered: 0, isMore: false }, []])
    await change()
    expect(await pass()).toMatchObject({ gathered: 1, isMore: false })
    expect(await keysInRuns()).toEqual([letter!.key])
  })

  test('once the next day begins, oldest first', async () => {
    await floor.addProvider('south', { can: { documentsPerDayMax: 2 } })
    const letters = []
    for (const letter of many(5, first)) letters.push(...(await floor.addPending(letter)))
    const keys = letters.map(({ key }) => key)
    const letADayPass = () => set('update print_run_document set routed_on = routed_on - 1')

    await pass()
    expect(await keysInRuns()).toEqual(keys.slice(0, 2).toSorted())
    await letADayPass()
    await pass()
    expect(await keysInRuns()).toEqual(keys.slice(0, 4).toSorted())
    await letADayPass()
    await pass()
    expect(await keysInRuns()).toEqual(keys.toSorted())
  })
})
